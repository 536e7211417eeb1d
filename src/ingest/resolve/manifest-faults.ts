/** What is wrong with manifests, and with the names of files: faults that do not depend on which code is there. */

import { readManifests } from '#ingest/manifests'
import { baseName, directoryOf, foldersOf, type Host, joinPath } from '#ingest/resolve/host'
import { parseJsonc } from '#ingest/resolve/jsonc'
import { tomlFault } from '#ingest/toml'
import { xmlFault } from '#ingest/xml'

interface Fault {
  line: number
  message: string
}

const SECTION = /^\[[^\]]*\]\s*(?:[#;].*)?$/
const ENTRY = /^[^=:\s][^=:]*[=:]/
/** Folders whose packages stand for others in tests and examples, and may repeat what is. */
const STAND_IN =
  /(?:^|\/)(?:tests?|__tests__|spec|test-?data|__?fixtures?__?|fixtures?|examples?|samples?|templates?)\//i

/** Reports manifests that cannot be read, parts of the project that they name in vain, and names that stand for two. */
export function reportFaults({ program, problemIn }: Pick<Host, 'program' | 'problemIn'>): void {
  const { paths, project } = program
  const folders = foldersOf([...paths, ...project.configFiles.keys()])
  for (const [path, text] of project.configFiles) {
    const fault = faultOf(baseName(path), text)
    if (fault !== undefined) problemIn(path, fault.line, fault.message)
    for (const { line, message } of lostParts(path, text, project.configFiles, folders)) problemIn(path, line, message)
  }
  for (const { path, message } of [...packageTwins(project.configFiles), ...caseTwins(paths)])
    problemIn(path, 1, message)
}

function faultOf(name: string, text: string): Fault | undefined {
  if (/^(?:Cargo\.toml|pyproject\.toml|Pipfile)$/.test(name)) {
    const fault = tomlFault(text)
    return (
      fault && { line: fault.line, message: `This is no valid TOML: ${fault.message}; only what stands above is read.` }
    )
  }
  if (name === 'setup.cfg') return cfgFault(text)
  if (name === 'package.json' || name === 'composer.json') return jsonFault(text)
  if (name === 'pom.xml' || name.endsWith('.csproj')) {
    const fault = xmlFault(text)
    return fault && { line: fault.line, message: `This is no valid XML: ${fault.message}.` }
  }
  return name.endsWith('.gradle') ? gradleFault(text) : undefined
}

function jsonFault(text: string): Fault | undefined {
  const parsed = parseJsonc(text)
  if ('message' in parsed)
    return { line: parsed.line, message: `The manifest is no valid JSON (${parsed.message}); it is not used.` }
  const { value } = parsed
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { line: 1, message: 'The manifest is no JSON object; it is not used.' }
  return undefined
}

/** What keeps a text from being a file of sections and entries. */
function cfgFault(text: string): Fault | undefined {
  let isInSection = false
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(?:[#;]|$)/.test(line)) continue
    const at = (fault: string): Fault => ({
      line: i + 1,
      message: `Only what stands in front of this line is read: ${fault}`,
    })
    if (SECTION.test(line)) isInSection = true
    else if (!isInSection) return at('an entry in front of any section')
    else if (!/^\s/.test(line) && !ENTRY.test(line)) return at('neither a section nor an entry')
  }
  return undefined
}

/** Comments, strings and patterns of Groovy, and its brackets; a string that does not end is the first group. */
const GROOVY =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|\/(?<=[=(,~]\s*\/)(?:[^/\\\n]|\\.)+\/|(["'])|([([{])|([)\]}])/g
const CLOSED_BY: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

function gradleFault(text: string): Fault | undefined {
  const open: { sign: string; at: number }[] = []
  const fault = (at: number, message: string): Fault => ({
    line: lineAt(text, at),
    message: `The build script is no valid Groovy: ${message}.`,
  })
  for (const { 0: sign, 1: quote, 2: opens, 3: closes, index } of text.matchAll(GROOVY)) {
    if (quote !== undefined) return fault(index, 'a string does not end')
    if (opens !== undefined) open.push({ sign, at: index })
    if (closes !== undefined && CLOSED_BY[open.pop()?.sign ?? ''] !== closes)
      return fault(index, `there is a ${closes} too many`)
  }
  const last = open.at(-1)
  return last && fault(last.at, `the ${last.sign} is not closed`)
}

/** Modules and projects that a manifest names and that are not there. */
function* lostParts(
  path: string,
  text: string,
  configFiles: ReadonlyMap<string, string>,
  folders: ReadonlySet<string>,
): Iterable<Fault> {
  const name = baseName(path)
  const at = (written: string): string | null => joinPath(directoryOf(path), written.replaceAll('\\', '/'))
  if (name === 'pom.xml') {
    for (const { 1: module, index } of withoutComments(text).matchAll(/<module>\s*([^<>$]+?)\s*<\/module>/g)) {
      const place = at(module)
      if (place === null || configFiles.has(place) || configFiles.has(place === '' ? 'pom.xml' : `${place}/pom.xml`))
        continue
      yield { line: lineAt(text, index), message: `The module ${module} has no pom.xml.` }
    }
  } else if (/^settings\.gradle(?:\.kts)?$/.test(name) && !text.includes('projectDir')) {
    for (const { 1: list, index } of text.matchAll(/^[ \t]*include\b((?:[^\n]*,[ \t]*\n)*[^\n]*)/gm))
      for (const { 1: project } of list.matchAll(/["']:?([\w.:-]+)["']/g)) {
        const place = at(project.replaceAll(':', '/'))
        if (place === null || folders.has(place)) continue
        yield { line: lineAt(text, text.indexOf(project, index)), message: `The project ${project} has no folder.` }
      }
  } else if (name.endsWith('.csproj')) {
    for (const { 1: project, index } of withoutComments(text).matchAll(
      /<ProjectReference\s[^>]*?Include="([^"$*;]+)"/g,
    )) {
      const place = at(project)
      if (place === null || configFiles.has(place) || !place.endsWith('.csproj')) continue
      yield { line: lineAt(text, index), message: `The project ${project} that is referred to is not there.` }
    }
  }
}

/** Blanks where comments were, so that places stay. */
function withoutComments(text: string): string {
  return text.replace(/<!--[\s\S]*?-->/g, (it) => it.replace(/[^\n]/g, ' '))
}

/** Packages of one name where nothing else tells them apart; those of npm, Cargo and Go are looked up by it. */
function packageTwins(configFiles: ReadonlyMap<string, string>): { path: string; message: string }[] {
  const first = new Map<string, string>()
  return readManifests(configFiles).flatMap(({ path, ecosystem, name }) => {
    if ((ecosystem !== 'maven' && ecosystem !== 'pypi') || STAND_IN.test(path) || name.includes('$')) return []
    const key = `${ecosystem} ${name}`
    const other = first.get(key)
    if (other !== undefined) return [{ path, message: `The package ${name} is also declared in ${other}.` }]
    first.set(key, path)
    return []
  })
}

/** Files and folders of one folder whose names differ in case alone. */
function caseTwins(paths: readonly string[]): { path: string; message: string }[] {
  const found: { path: string; message: string }[] = []
  /** First spelling of each path of lower case within its folder. */
  const spelled = new Map<string, string>()
  const told = new Set<string>()
  for (const path of paths) {
    for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
      const whole = end === -1 ? path : path.slice(0, end)
      const slash = whole.lastIndexOf('/') + 1
      const key = whole.slice(0, slash) + whole.slice(slash).toLowerCase()
      const other = spelled.get(key)
      if (other === undefined) spelled.set(key, whole)
      else if (other !== whole && !told.has(whole)) {
        told.add(whole)
        found.push({
          path: end === -1 ? path : `${whole}/`,
          message: `The name differs from ${other} in case alone; some systems keep only one of them.`,
        })
      }
      if (end === -1) break
    }
  }
  return found
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, Math.max(0, offset)).split('\n').length
}
