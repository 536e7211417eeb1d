/** Changes of what all callers share: variables of modules, static fields, values of default parameters. */

import type { Match } from '#ingest/parse'
import type { Sightings } from '#ingest/patterns/sightings'

/** What holds its keys weakly is a note about them, not state of its own. */
const CONTAINER =
  /=\s*(?:new\s+)?(?:\{|\[|(?:collections\.)?(?:dict|list|set|defaultdict|OrderedDict|Counter|deque|Map|Set|Array|HashMap|ArrayList|make|map)\b)/
const MUTATORS =
  'append add update insert pop popitem remove discard clear extend setdefault appendleft set delete push unshift shift splice put putIfAbsent'.split(
    ' ',
  )
const UNDER_LOCK = /\b(?:\w*[lL]ock\w*|\w*[mM]utex\w*|synchronized|atomic\w*|Atomic\w*|\bmu\b|\w+Mu\b|[oO]nce)\b/
/** What runs once, before anybody shares anything, or puts things back. */
const AT_START =
  /^_*(?:init|initialize|setup|set_up|configure|register|main|bootstrap|load|install|reset|clear|tear_?down|use|add_?to|on_?load)/i

export function findSharedState(sightings: Sightings): void {
  const { language } = sightings.facts
  for (const mark of sightings.marks) {
    if (mark.kind === 'global') readGlobal(sightings, mark)
    else if (mark.kind === 'default') readDefault(sightings, mark)
    else if (mark.kind === 'write') readWrite(sightings, mark)
  }
  if (language === 'python' || language === 'typescript' || language === 'tsx' || language === 'javascript')
    findChangedContainers(sightings)
  if (language === 'ruby') {
    for (const found of sightings.text.matchAll(
      /(?<![\w@$])(?:@@[a-z]\w*|\$[a-z]\w*)\s*(?:\|\||&&|[-+*/])?=(?![=~>])/g,
    )) {
      const scope = sightings.functionOf(sightings.scopeAt(found.index))
      if (scope >= 0 && !sightings.isQuiet(found.index)) note(sightings, scope, sightings.source.lineAt(found.index))
    }
  }
  if (language === 'rust') findStaticMut(sightings)
}

function note(sightings: Sightings, scope: number, line: number): void {
  const name = sightings.definition(scope)?.name ?? ''
  const remedy = UNDER_LOCK.test(sightings.textOf(scope))
    ? 'a lock or the like is used beside it'
    : AT_START.test(name)
      ? 'its name says that it runs at the start'
      : ''
  sightings.add('global_write', line, remedy)
}

/** `global total` says that what follows is written. */
function readGlobal(sightings: Sightings, mark: Match): void {
  const scope = sightings.functionOf(sightings.scopeAt(mark.start))
  if (scope < 0) return
  const body = sightings.textOf(scope)
  for (const name of sightings.source
    .slice(mark)
    .replace(/^global\s+/, '')
    .split(/\s*,\s*/)) {
    const write = new RegExp(
      `^[ \\t]*(?:[^\\n#=]*,\\s*)?${name.trim()}\\s*(?:,[^\\n=]*)?(?:[-+*/|&%]|//|\\*\\*)?=(?!=)`,
      'm',
    ).exec(body)
    if (write === null) continue
    const offset = sightings.startOf(scope) + write.index + (write[0].length - write[0].trimStart().length)
    note(sightings, scope, sightings.source.lineAt(offset))
  }
}

/** A default that is only read does no harm; one that is changed or leaves the function does. */
function readDefault(sightings: Sightings, mark: Match): void {
  const scope = sightings.functionOf(sightings.scopeAt(mark.start))
  const name = /^[\p{L}_][\p{L}\p{N}_]*/u.exec(sightings.source.slice(mark))?.[0]
  if (scope < 0 || name === undefined) return
  const body = sightings.textOf(scope).slice(mark.end - sightings.startOf(scope))
  const changed = new RegExp(
    `(?<![\\w.])${name}\\s*(?:\\.(?:append|add|update|insert|pop|remove|clear|extend|setdefault|sort)\\(|\\[[^\\]\\n]*\\]\\s*[-+*/|]?=(?!=)|[-+|]=)`,
  ).test(body)
  const kept = new RegExp(`(?:\\breturn\\s+|(?:self|cls)\\.\\w+\\s*=\\s*)${name}\\s*(?:#|\\n|$)`, 'm').test(body)
  const copied = new RegExp(`(?<![\\w.])${name}\\s*=\\s*`).test(body)
  sightings.add('shared_default', mark.line, changed || (kept && !copied) ? '' : 'it is only read')
}

/** An assignment to a name without an owner, where a variable of the file has that name and none nearer does. */
function readWrite(sightings: Sightings, mark: Match): void {
  const { facts, source } = sightings
  const isMember = facts.language === 'java' || facts.language === 'csharp'
  if (!isMember && sightings.variables.size === 0) return
  const target = source.partText(mark, 'name')
  const name = target.slice(target.lastIndexOf('.') + 1)
  if (!isMember && !sightings.variables.has(name)) return
  const scope = sightings.functionOf(sightings.scopeAt(mark.start))
  if (scope < 0) return
  const owner = target.slice(0, Math.max(0, target.lastIndexOf('.')))
  if (isMember ? !isStatic(sightings, scope, name, owner) : owner !== '' || !isVariable(sightings, name)) return
  for (let d = scope; d >= 0; d = facts.definitions[d].parent)
    if (facts.definitions[d].kind === 'fn' && isDeclaredIn(sightings, d, name, mark.start)) return
  if (/^(?:init|main)$/.test(facts.definitions[scope].name) && facts.language === 'go') return
  note(sightings, scope, mark.line)
}

/** A variable at the top of the file that can be assigned to. */
function isVariable(sightings: Sightings, name: string): boolean {
  const found = sightings.variables.get(name)
  return found !== undefined && !/^(?:export\s+)?const\b/.test(sightings.lineText(found.nameLine))
}

function isStatic(sightings: Sightings, scope: number, name: string, owner: string): boolean {
  const { facts } = sightings
  let type = facts.definitions[scope].parent
  while (type >= 0 && facts.definitions[type].kind === 'fn') type = facts.definitions[type].parent
  if (type < 0 || (owner !== '' && owner !== facts.definitions[type].name)) return false
  const field = facts.bindings.find((it) => it.kind === 'field' && it.scope === type && it.name === name)
  return (
    field !== undefined &&
    /\bstatic\b/.test(sightings.lineText(field.line)) &&
    !/\b(?:final|readonly|const)\b/.test(sightings.lineText(field.line))
  )
}

/** Whether a function has a parameter or variable of that name before the place. */
function isDeclaredIn(sightings: Sightings, d: number, name: string, at: number): boolean {
  const { facts } = sightings
  if (facts.bindings.some((it) => it.scope === d && it.name === name && it.kind === 'parameter')) return true
  const before = sightings.textOf(d).slice(0, at - sightings.startOf(d))
  const declared =
    facts.language === 'go'
      ? `\\bvar\\s+(?:\\w+\\s*,\\s*)*${name}\\b|(?<![\\w.])${name}\\s*(?:,[^=\\n]*)?:=|,\\s*${name}\\s*(?:,[^=\\n]*)?:=`
      : /^(?:c|cpp|java|csharp)$/.test(facts.language)
        ? `(?:^|[;{(,])\\s*(?:const\\s+|static\\s+|unsigned\\s+|struct\\s+|final\\s+)*[A-Za-z_][\\w:<>,\\[\\]]*[\\s*&]+(?:\\w+\\s*(?:=[^;]*)?,\\s*\\**)*${name}\\s*(?:[=;,\\[)]|:)`
        : `\\b(?:let|const|var|function|class|catch\\s*\\()\\b[^;=\\n]*(?<![\\w$])${name}(?![\\w$])`
  return new RegExp(declared.replaceAll('$', '$$'), 'm').test(before)
}

/** `CACHE.update(…)` and `CACHE[key] = …` within functions, where the file makes the container. */
function findChangedContainers(sightings: Sightings): void {
  const { facts } = sightings
  const containers = new Set(
    facts.definitions
      .filter((it) => it.parent < 0 && it.kind === 'const' && CONTAINER.test(sightings.lineText(it.nameLine)))
      .map((it) => it.name),
  )
  if (containers.size === 0) return
  for (const { reference, at } of sightings.calls(MUTATORS, /^[\p{L}_$][\p{L}\p{N}_$]*\.\w+$/u)) {
    const name = reference.path.slice(0, reference.path.indexOf('.'))
    const scope = sightings.functionOf(reference.from)
    if (scope >= 0 && at >= 0 && containers.has(name) && !isShadowed(sightings, scope, name))
      note(sightings, scope, reference.line)
  }
  for (const { from, path, line, relation } of facts.references) {
    const scope = relation === 'references' ? sightings.functionOf(from) : -1
    if (scope < 0 || !containers.has(path) || isShadowed(sightings, scope, path)) continue
    const item = new RegExp(
      `(?<![\\w$.])${path.replaceAll('$', String.raw`\$`)}\\s*\\[[^\\]\\n]+\\]\\s*(?:[-+*/|&]|\\?\\?|\\|\\|)?=(?![=>])`,
    )
    if (item.test(sightings.lineText(line))) note(sightings, scope, line)
  }
}

function isShadowed({ facts }: Sightings, scope: number, name: string): boolean {
  for (let d = scope; d >= 0; d = facts.definitions[d].parent)
    if (facts.bindings.some((it) => it.scope === d && it.name === name)) return true
  return false
}

function findStaticMut(sightings: Sightings): void {
  const statics = new Set(
    sightings.facts.definitions
      .filter((it) => it.kind === 'const' && /^(?:pub\S*\s+)?static\s+mut\b/.test(sightings.lineText(it.nameLine)))
      .map((it) => it.name),
  )
  if (statics.size === 0) return
  for (const { from, path, line } of sightings.facts.references) {
    const scope = sightings.functionOf(from)
    if (
      scope >= 0 &&
      statics.has(path) &&
      new RegExp(`\\b${path}\\s*(?:\\[[^\\]]*\\]\\s*)?[-+*/|&]?=(?!=)`).test(sightings.lineText(line))
    )
      note(sightings, scope, line)
  }
}
