/** Which rules hold for which language. */

import type { Ecosystem } from '#ingest/resolve/ecosystem'
import type { Host } from '#ingest/resolve/host'
import { goEcosystem } from '#ingest/resolve/go'
import { namespaceEcosystem, namespaceRules } from '#ingest/resolve/namespaces'
import { plainEcosystem } from '#ingest/resolve/plain'
import { pythonEcosystem } from '#ingest/resolve/python'
import { rustEcosystem } from '#ingest/resolve/rust'
import { scriptEcosystem } from '#ingest/resolve/javascript'
import { SCRIPT_LANGUAGES } from '#ingest/resolve/program'

/** The rules for each file; those of a family are made once, when its first file comes up. */
export function chooseEcosystems(host: Host): Ecosystem[] {
  const made = new Map<string, Ecosystem>()
  return host.program.facts.map(({ language }) => {
    let ecosystem = made.get(language)
    if (ecosystem === undefined) {
      ecosystem = create(host, language)
      const shared = SCRIPT_LANGUAGES.has(language)
        ? SCRIPT_LANGUAGES
        : (namespaceRules(language)?.languages ?? [language])
      for (const name of shared) made.set(name, ecosystem)
    }
    return ecosystem
  })
}

function create(host: Host, language: string): Ecosystem {
  if (language === 'python') return pythonEcosystem(host)
  if (SCRIPT_LANGUAGES.has(language)) return scriptEcosystem(host)
  if (language === 'go') return goEcosystem(host)
  if (language === 'rust') return rustEcosystem(host)
  const rules = namespaceRules(language)
  if (rules !== undefined) return namespaceEcosystem(host, rules)
  return plainEcosystem(host, language)
}
