/** What a function fetches by itself instead of having it handed in. */

import type { Sightings } from '#ingest/patterns/sightings'

const READERS = 'getenv get Getenv LookupEnv var var_os GetEnvironmentVariable fetch environment'.split(' ')
const READS =
  /^(?:os\.getenv|getenv|os\.environ\.get|os\.(?:Getenv|LookupEnv)|(?:std\.)?env\.(?:var|var_os)|System\.getenv|(?:System\.)?Environment\.GetEnvironmentVariable|ENV\.(?:fetch|\[\])|ProcessInfo\.processInfo\.environment|std\.getenv)$/
const PIECES: Readonly<Record<string, readonly string[]>> = {
  python: ['os.environ['],
  typescript: ['process.env', 'import.meta.env'],
  tsx: ['process.env', 'import.meta.env'],
  javascript: ['process.env', 'import.meta.env'],
  ruby: ['ENV['],
  php: ['$_ENV', '$_SERVER['],
}
const CONFIGURATION =
  /(?:^|\/)[^/]*(?:config|settings?|env|environment|constants|options|conf|setup|defaults)[^/]*$|(?:^|\/)(?:config|settings|conf|scripts?|bin|tools?|build|ci|\.github)\//i
const LOCATED = 'get resolve make getInstance GetService GetRequiredService getBean lookup'.split(' ')
const LOCATORS =
  /(?:^|[.\w])(?:container|injector|provider|serviceProvider|service_provider|services|locator|serviceLocator|applicationContext|app_?context|kernel\.getContainer\(\)|moduleRef)\.(?:get|resolve|make|getInstance|GetService|GetRequiredService|getBean|lookup)$/i
const SINGLETON = /^[A-Z][\w.]*\.(?:getInstance|get_instance|instance|GetInstance)$/

export function findEnvironment(sightings: Sightings): void {
  const { facts, source } = sightings
  const remedy = CONFIGURATION.test(source.path) ? 'the file is about settings' : ''
  const read = (line: number, from: number) => {
    const name = sightings.definition(sightings.functionOf(from))?.name ?? ''
    if (from >= 0 && /^(?:main|init)$/.test(name)) return
    const own = /config|setting|env|option|default/i.test(name) ? 'its name says that it is about settings' : remedy
    sightings.add('environment_read', line, own)
  }
  for (const { reference } of sightings.calls(READERS, READS)) read(reference.line, reference.from)
  for (const piece of PIECES[facts.language] ?? []) {
    for (const at of sightings.occurrences(piece)) {
      // written to, or only asked which mode the program was built in
      const rest = sightings.text.slice(at + piece.length, at + piece.length + 80)
      if (/^[^\n;,)]*?\]?\s*=(?![=>])/.test(rest) || /^\.NODE_ENV\b/.test(rest)) continue
      read(source.lineAt(at), sightings.scopeAt(at))
    }
  }
  for (const { reference } of sightings.calls(LOCATED, LOCATORS)) sightings.add('service_locator', reference.line)
  // with arguments it makes or chooses one
  for (const { reference } of sightings.calls(['getInstance', 'get_instance', 'instance', 'GetInstance'], SINGLETON))
    if (reference.args === 0) sightings.add('singleton', reference.line)
}
