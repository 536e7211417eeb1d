/**
 * What one file says that a file of another repository may answer: settings it reads, routes it serves or asks for,
 * tools of agents, images and services, packages it imports. Each is a whole name at a known place, never a part of a word.
 */

export type ContractKind = 'config' | 'serves' | 'mounts' | 'requests' | 'provides' | 'uses' | 'deploys' | 'imports'

export interface Contract {
  kind: ContractKind
  /** Routes are normalised, names of what is deployed in lower case. */
  name: string
  line: number
  /** Of a route, '' when it is not known. */
  method: string
  /** What is imported by name. */
  symbols: string[]
}

const VERBS = /^(?:get|post|put|delete|patch|head|options)$/
const SERVER =
  /^(?:app|router|server|fastify|bp|blueprint|[rgem]|mux|route|routes|api|\w*(?:App|Router|Server|Mux|Group|Blueprint|Routes|_app|_router|_bp|_api))$/
const CLIENT = /(?:axios|http|client|session|request|ky|got|agent|rest|fetch|api)\w*$|^\$$/i
/** Callee, method as first argument, text that begins like an address. */
const CALL =
  /(@|#\[)?(?:([\w$]+)\s*(?:\?\.|\.|::)\s*)?([\w$]+)\s*(?:<[^<>()]{0,60}>)?\(\s*(?:ctx\s*,\s*|[\w.]{1,40}\(\)\s*,\s*)?(?:(?:http\.Method(\w{3,7})|["'](GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS)["'])\s*,\s*)?[a-zA-Z@$]{0,2}(["'`])([^"'`\n]{1,300})\6/g
const REQUESTS =
  /^(?:fetch|urlopen|newrequest|newrequestwithcontext|getforobject|getforentity|postforobject|postforentity|exchange|uri|request|ajax|axios|useswr|ky|got|create)$/
const SERVES = /^(?:handlefunc|handle|methodfunc|add_url_rule|add_api_route|add_route|websocket)$/
const MOUNTS = /^(?:use|mount|nest|group|basepath|prefix)$/
const MAPPING =
  /^(?:(Get|Post|Put|Delete|Patch)(?:Mapping)?|RequestMapping|Controller|Route|route|(get|post|put|delete|patch|head|api_route))$/

export function contractsIn(path: string, text: string): Contract[] {
  const found = new Found()
  if (isDeployment(path)) deployments(text, found)
  settings(path, text, found)
  if (path.endsWith('.json')) agentServers(text, found)
  else if (!isText(path)) {
    routes(path, text, found)
    agentTools(text, found)
    imports(path, text, found)
  }
  return found.all
}

class Found {
  readonly all: Contract[] = []
  readonly #seen = new Set<string>()

  add(kind: ContractKind, name: string, line: number, { method = '', symbols = [] as string[] } = {}): void {
    const key = `${kind} ${method} ${name} ${kind === 'imports' ? line : ''}`
    if (name === '' || this.#seen.has(key)) return
    this.#seen.add(key)
    this.all.push({ kind, name, line, method: method.toUpperCase(), symbols })
  }
}

function isText(path: string): boolean {
  return /\.(?:md|mdx|rst|txt|ya?ml|toml|lock|css|scss|html?|svg|csv|sql)$/i.test(path)
}

/** Text without host, query and the end of what follows; names of parameters are `_`. Lower case. */
export function normalRoute(route: string): string {
  const path = route
    .replace(/^\w+:\/\/[^/]*/, '')
    .replace(/^\$?\{[^}]*\}(?=\/)/, '')
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .replace(/\$\{[^}]*\}|\{[^}]*\}|<[^>]*>|%[sdv]|\(\?P[^)]*\)|:[A-Za-z_]\w*\??|\*/g, '_')
    .toLowerCase()
  return path.startsWith('/') ? path : `/${path}`
}

function looksLikeRoute(text: string): boolean {
  return /^(?:\/[\w\-.~{}$:<>*/%@]|https?:\/\/[^\s/]+\/|\$?\{[^}]*\}\/)/.test(text) && !/\s/.test(text)
}

function routes(path: string, text: string, found: Found): void {
  text.split('\n').forEach((line, i) => {
    if (!/["'`]/.test(line)) return
    for (const match of line.matchAll(CALL)) {
      const [whole, marker, receiver = '', callee, goMethod, named, , literal] = match
      const after = line.slice(match.index + whole.length).trimStart()
      const bare = callee.toLowerCase()
      const method =
        goMethod ?? named ?? (VERBS.test(bare) ? bare : (/\bmethods?\s*[:=]\s*\[?\s*["'](\w+)/.exec(line)?.[1] ?? ''))
      const isPython = path.endsWith('.py')
      if (marker !== undefined) {
        const mapping = MAPPING.exec(callee)
        const verb = mapping?.[1] ?? mapping?.[2] ?? ''
        if (mapping === null) continue
        const isWhole = /^(?:RequestMapping|Controller)$/.test(callee)
        const route = normalRoute(literal)
        if (isWhole) found.add('mounts', route, i + 1)
        if (!isWhole || method !== '')
          found.add('serves', route, i + 1, { method: verb === 'api_route' ? method : verb || method })
      } else if (isPython && receiver === '' && /^(?:path|re_path)$/.test(callee)) {
        const isMount = after.startsWith(',') && /include\(/.test(after)
        found.add(isMount ? 'mounts' : 'serves', normalRoute(literal.replace(/^\^|\$$/g, '')), i + 1)
      } else if (!looksLikeRoute(literal)) continue
      else if (MOUNTS.test(bare) || /^Route$/.test(callee)) found.add('mounts', normalRoute(literal), i + 1)
      else if (SERVES.test(bare) || (bare === 'route' && after.startsWith(',')))
        found.add('serves', normalRoute(literal), i + 1, {
          method: method || (/\b(get|post|put|delete|patch)\(/.exec(after)?.[1] ?? ''),
        })
      else if ((VERBS.test(bare) || bare === 'all' || bare === 'any') && SERVER.test(receiver) && isHandled(after))
        found.add('serves', normalRoute(literal), i + 1, { method: VERBS.test(bare) ? bare : '' })
      else if (REQUESTS.test(bare) || (VERBS.test(bare) && (CLIENT.test(receiver) || SERVER.test(receiver))))
        found.add(
          'requests',
          normalRoute(/^\s*\+/.test(after) && literal.endsWith('/') ? `${literal}_` : literal),
          i + 1,
          { method },
        )
    }
    const prefix = /\b(?:url_prefix|prefix)\s*[=:]\s*["'](\/[^"']+)["']/.exec(line)
    if (prefix !== null) found.add('mounts', normalRoute(prefix[1]), i + 1)
  })
}

/** A handler follows the address: a function, or the name of one, and not an object of options. */
function isHandled(after: string): boolean {
  return /^,\s*(?:async\b|\(|function\b|func\b|\[|[A-Za-z_$][\w$.]*\s*[,)(:]|[A-Za-z_$][\w$.]*\s*=>|$)/.test(after)
}

const KEY = '([A-Z][A-Z0-9]*_[A-Z0-9_]+)'
const READS = new RegExp(
  [
    `process\\.env(?:\\.|\\[["'])${KEY}`,
    `import\\.meta\\.env\\.${KEY}`,
    `(?:os\\.environ(?:\\.get\\(|\\[)|(?:os\\.)?getenv\\(|os\\.(?:Getenv|LookupEnv)\\(|env::var(?:_os)?\\(|option_env!\\(|env!\\(|System\\.getenv\\(|ENV(?:\\[|\\.fetch\\()|GetEnvironmentVariable\\(|Deno\\.env\\.get\\()\\s*["']${KEY}["']`,
  ].join('|'),
  'g',
)
/** Set by systems and tools, and shared by all that run there. */
const COMMON =
  /^(?:NODE_|NPM_|XDG_|GITHUB_|GITLAB_|CI_|RUNNER_|LC_|SSH_|GIT_|PYTHON|PYTEST_|TOX_|VIRTUAL_ENV|CONDA_|CARGO_|RUST_|RUSTC_|JAVA_|MAVEN_|GRADLE_|LD_|DYLD_|TERM_|AWS_|AZURE_|GOOGLE_|DOCKER_|KUBERNETES_|VSCODE_|PROGRAM_?FILES|SYSTEM_ROOT|NO_COLOR|FORCE_COLOR|HTTPS?_PROXY|NO_PROXY|LOG_LEVEL|USER_AGENT|TMP_DIR|APP_ENV|DEBUG_)/

function settings(path: string, text: string, found: Found): void {
  const lineOf = lineCounter(text)
  for (const match of text.matchAll(READS)) {
    const key = match.slice(1).find((it) => it !== undefined) ?? ''
    if (!COMMON.test(key)) found.add('config', key, lineOf(match.index))
  }
  if (
    !/(?:^|\/)(?:[\w.-]*\.env|\.?env\.\w+|(?:docker-)?compose[\w.-]*\.ya?ml|(?:config|settings)\.(?:ya?ml|toml|ini|cfg|properties))$/.test(
      path,
    )
  )
    return
  for (const match of text.matchAll(
    new RegExp(`^[ \\t]*(?:-[ \\t]*)?(?:export[ \\t]+)?["']?${KEY}["']?[ \\t]*[=:]`, 'gm'),
  ))
    if (!COMMON.test(match[1])) found.add('config', match[1], lineOf(match.index))
}

function agentTools(text: string, found: Found): void {
  const lineOf = lineCounter(text)
  if (!/mcp/i.test(text)) return
  for (const it of text.matchAll(/\.(?:registerTool|addTool|tool)\(\s*\{?\s*(?:name:\s*)?["'`]([\w.-]{3,80})["'`]/g))
    found.add('provides', it[1], lineOf(it.index))
  for (const it of text.matchAll(/@\w+\.tool\([^)\n]{0,200}\)\s*\n\s*(?:async\s+)?def\s+(\w+)/g))
    found.add('provides', it[1], lineOf(it.index))
  for (const it of text.matchAll(/(?:new\s+(?:Mcp)?Server\(\s*\{\s*name:\s*|FastMCP\(\s*)["'`]([\w. -]{3,80})["'`]/g))
    found.add('provides', it[1], lineOf(it.index))
  for (const it of text.matchAll(/\b(?:callTool\(\s*\{\s*name:\s*|call_tool\(\s*)["'`]([\w.-]{3,80})["'`]/g))
    found.add('uses', it[1], lineOf(it.index))
}

/** Names of servers in the settings of a client. */
function agentServers(text: string, found: Found): void {
  const at = text.indexOf('"mcpServers"')
  if (at < 0) return
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // settings with comments are read by their own program; what it means by them is not known here
    return
  }
  const servers = typeof value === 'object' && value !== null && 'mcpServers' in value ? value.mcpServers : null
  if (typeof servers !== 'object' || servers === null) return
  const line = text.slice(0, at).split('\n').length
  for (const name of Object.keys(servers)) found.add('uses', name, line)
}

function isDeployment(path: string): boolean {
  return /(?:^|\/)(?:docker-)?compose[\w.-]*\.ya?ml$|(?:^|\/)Dockerfile[\w.-]*$|\.gitlab-ci\.yml$|(?:^|\/)(?:k8s|kubernetes|deploy(?:ment)?s?|helm|charts|manifests|\.?github\/workflows)\/.*\.ya?ml$|(?:^|\/)(?:skaffold|render)\.ya?ml$/.test(
    path,
  )
}

function deployments(text: string, found: Found): void {
  let inServices = false
  text.split('\n').forEach((line, i) => {
    if (/^\S/.test(line)) inServices = line.startsWith('services:')
    const service = inServices ? /^ {2}([\w.-]+):\s*$/.exec(line)?.[1] : undefined
    if (service !== undefined) found.add('deploys', service.toLowerCase(), i + 1)
    const named = /^\s*(?:-\s*)?(?:image|build|context|repository|uses|FROM)\b:?\s+["']?([\w./:@${}-]+)/.exec(line)?.[1]
    if (named === undefined) return
    const parts = named
      .replace(/[@:][^/]*$/, '')
      .split('/')
      .filter((it) => /^[\w.-]*\w[\w.-]*$/.test(it))
    const last = parts.at(-1)
    if (last !== undefined) found.add('deploys', last.toLowerCase(), i + 1)
  })
}

function imports(path: string, text: string, found: Found): void {
  const lineOf = lineCounter(text)
  const names = (list: string) =>
    list
      .split(/[,{}()\s]+/)
      .map((it) => it.trim())
      .filter((it) => /^[A-Za-z_$][\w$]*$/.test(it) && it !== 'type' && it !== 'as')
  const add = (module: string, list: string, at: number) =>
    found.add('imports', module, lineOf(at), { symbols: names(list) })
  if (/\.[cm]?[jt]sx?$/.test(path)) {
    for (const it of text.matchAll(
      /\b(?:import|export)\s+(?:type\s+)?([\w$*{},\s]{1,2000}?)\s*from\s*["']([^"'.\n][^"'\n]*)["']/g,
    ))
      add(it[2], it[1].replace(/\sas\s+[\w$]+/g, ''), it.index)
    for (const it of text.matchAll(
      /\b(?:const|let|var)\s+([\w${},:\s]{1,500}?)\s*=\s*require\(\s*["']([^"'.\n][^"'\n]*)["']/g,
    ))
      add(it[2], it[1].replace(/:\s*[\w$]+/g, ''), it.index)
  } else if (path.endsWith('.py') || path.endsWith('.pyi')) {
    for (const it of text.matchAll(/^[ \t]*from[ \t]+([A-Za-z_][\w.]*)[ \t]+import[ \t]+(\([^)]{1,4000}\)|[^\n#]+)/gm))
      add(it[1], it[2].replace(/\sas\s+\w+/g, ''), it.index)
    for (const it of text.matchAll(/^[ \t]*import[ \t]+([A-Za-z_][\w.]*)/gm)) add(it[1], '', it.index)
  } else if (path.endsWith('.go')) {
    for (const it of text.matchAll(/^\s*(?:import\s+)?(?:([\w.]+)\s+)?"([\w-]+\.[\w.-]+\/[^"\s]+)"\s*$/gm)) {
      const alias =
        it[1] ??
        it[2]
          .replace(/\/v\d+$/, '')
          .split('/')
          .at(-1)
          ?.replace(/^go-|\.go$/g, '')
          .replaceAll('-', '') ??
        ''
      const used =
        alias === ''
          ? []
          : Array.from(
              text.matchAll(new RegExp(`\\b${alias.replaceAll('.', '\\.')}\\.([A-Z]\\w*)`, 'g')),
              (use) => use[1],
            )
      add(it[2], [...new Set(used)].join(' '), it.index)
    }
  } else if (path.endsWith('.rs')) {
    for (const it of text.matchAll(/\buse\s+([A-Za-z_]\w*)((?:::\w+)*)(?:::\{([^{}]{1,2000})\})?/g))
      add(it[1], `${it[2].split('::').at(-1) ?? ''} ${(it[3] ?? '').replace(/\sas\s+\w+/g, '')}`, it.index)
  }
}

/** Line of an offset; offsets must not fall. */
function lineCounter(text: string): (at: number) => number {
  let line = 1
  let from = 0
  return (at) => {
    // a second series of matches begins at the top again
    if (at < from) [line, from] = [1, 0]
    for (let next = text.indexOf('\n', from); next !== -1 && next < at; next = text.indexOf('\n', from)) {
      line++
      from = next + 1
    }
    return line
  }
}
