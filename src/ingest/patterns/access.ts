/** Secrets in the code, checks that are off, and what is open to the outside. */

import { ROOT_TAG } from '#graph/roots'
import { STRING } from '#ingest/facts'
import type { Sightings } from '#ingest/patterns/sightings'

const SECRET_NAME =
  /([\w$.-]*(?:password|passwd|passphrase|secret|api_?key|auth_?token|access_?token|refresh_?token|bearer_?token|private_?key|signing_?key|encryption_?key|credential)s?)(['"\]]*)\s*(?::\s*(?:[\w.?<>&]+\s*)+)?(?::=|=>|=|:)\s*$/i
const NO_SECRET_NAME =
  /(?:name|field|url|uri|path|file|dir|id|header|label|pattern|regex|prefix|suffix|env|var|type|param|placeholder|hint|message|msg|error|text|title|policy|length|format|scheme|method|manager|class|reset|help|desc\w*|hasher?|algorithm|column|attr\w*|form|view|template|kind|version|source|provider|store|len|strategy)s?$/i
/** What stands where a secret would, and is none. */
const PLACEHOLDER =
  /^(?:[<{$%[(#]|your|my[_-]|example|placeholder|change|todo|xxx|\*+$|\.+$|-+$|none$|null$|undefined$|true$|false$|env|process\.|config|redacted|dummy|fake|test|sample|foo|bar|insert)|\$\{|\{\{|%[sd(]|\s|^(?:https?|file|\/|\.\/|~)|[=<>]{2}|^[\w.-]+\.(?:json|pem|key|txt|ya?ml|crt)$/i
const KNOWN_WEAK = /^(?:admin|root|password|letmein|qwerty|changeme|hunter2|secret|s3cr3t|toor|default)\d*!?$/i

/** Routes and the like, as `#ingest/roots` tags them. */
const ENDPOINTS = [
  'http_route',
  'http_handler',
  'graph_query',
  'framework_handler',
  'message_handler',
  'serverless_platform',
].map((it) => ROOT_TAG + it)
const GUARD =
  /\b(?:\w*login_required|\w*permission\w*|\w*authenticat\w*|\w*authori[sz]\w*|require_?(?:user|auth|login|role|admin)\w*|requires_?(?:auth|login|role)\w*|ensure_?(?:auth|login|logged)\w*|jwt_required|token_required|UseGuards|PreAuthorize|Secured|RolesAllowed|Authorize|current_user|get_current_\w+|protect(?:ed)?|is_?admin|auth_required|verify_?(?:token|jwt|auth)\w*|admin_required|isAuthenticated|requireAuth|authMiddleware|Security)\b/

export function findAccess(sightings: Sightings): void {
  findSecrets(sightings)
  findDisabled(sightings)
  findEndpoints(sightings)
}

function findSecrets(sightings: Sightings): void {
  const { text, quiet, source } = sightings
  for (let i = 0; i < quiet.length; i += 3) {
    const length = quiet[i + 1] - quiet[i]
    if (quiet[i + 2] !== STRING || length < 7 || length > 200) continue
    let at = quiet[i] - 1
    while (at >= 0 && text.charCodeAt(at) === 32) at--
    const sign = text.charCodeAt(at)
    // = or : or >
    if (sign !== 61 && sign !== 58 && sign !== 62) continue
    const before = text.slice(Math.max(source.lineStarts[source.lineAt(quiet[i]) - 1], quiet[i] - 90), quiet[i])
    const found = SECRET_NAME.exec(before)
    if (found === null || NO_SECRET_NAME.test(found[1]) || /[=!<>]=\s*$/.test(before)) continue
    const value = text.slice(quiet[i], quiet[i + 1]).replace(/^\w{0,2}["'`]+|["'`]+$/g, '')
    if (!isSecret(value, found[1])) continue
    sightings.add('secret_literal', source.lineAt(quiet[i]))
  }
}

function isSecret(value: string, name: string): boolean {
  if (KNOWN_WEAK.test(value)) return true
  if (value.length < 8 || PLACEHOLDER.test(value) || /\s|[{}$]|^[\w.]+\(/.test(value)) return false
  const plain = value.toLowerCase().replace(/[^a-z0-9]/g, '')
  if (plain.includes(name.toLowerCase().replace(/[^a-z0-9]/g, ''))) return false
  // words joined by signs are names, what has digits among letters is made up
  if (/^[A-Za-z]+(?:[._:-][A-Za-z]+)*$/.test(value)) return false
  return /\d/.test(value) && /[A-Za-z]/.test(value) && !/^[a-z]+[_-]?v?\d{1,2}$/i.test(value)
}

/** Pieces of code that switch something off, and what must follow on the line. */
const DISABLED: Readonly<Record<string, readonly (readonly [string, RegExp])[]>> = {
  python: [
    ['verify=False', /./],
    ['.CERT_NONE', /./],
    ['._create_unverified_context', /^\._create_unverified_context\s*\(/],
  ],
  typescript: [
    ['rejectUnauthorized', /^rejectUnauthorized['"]?\s*[:=]\s*false/],
    ['ignoreExpiration', /^ignoreExpiration['"]?\s*:\s*true/],
    ['NODE_TLS_REJECT_UNAUTHORIZED', /^NODE_TLS_REJECT_UNAUTHORIZED['"\]]*\s*=\s*['"]?0/],
  ],
  go: [
    ['InsecureSkipVerify', /^InsecureSkipVerify\s*[:=]\s*true/],
    ['InsecureIgnoreHostKey', /^InsecureIgnoreHostKey\(/],
  ],
  java: [
    ['NoopHostnameVerifier', /^NoopHostnameVerifier\.INSTANCE|^NoopHostnameVerifier\(/],
    ['ALLOW_ALL_HOSTNAME_VERIFIER', /./],
    ['csrf().disable', /./],
  ],
  csharp: [
    ['DangerousAcceptAnyServerCertificateValidator', /./],
    ['ServerCertificateValidationCallback', /=>\s*true|return true/],
    ['ServerCertificateCustomValidationCallback', /=>\s*true|return true/],
  ],
  ruby: [['VERIFY_NONE', /./]],
  php: [
    ['CURLOPT_SSL_VERIFYPEER', /^CURLOPT_SSL_VERIFYPEER\s*(?:,|=>)\s*(?:false|0)/i],
    ['CURLOPT_SSL_VERIFYHOST', /^CURLOPT_SSL_VERIFYHOST\s*(?:,|=>)\s*(?:false|0)/i],
  ],
  rust: [
    ['danger_accept_invalid_certs', /^danger_accept_invalid_certs\(\s*true/],
    ['danger_accept_invalid_hostnames', /\(\s*true/],
  ],
}
const OPEN: Readonly<Record<string, readonly string[]>> = {
  java: ['.permitAll()', '@PermitAll'],
  csharp: ['[AllowAnonymous]'],
  ruby: [
    'skip_before_action :authenticate',
    'skip_before_action :verify_authenticity_token',
    'skip_authorization_check',
  ],
}
const SAME: Readonly<Record<string, string>> = {
  tsx: 'typescript',
  javascript: 'typescript',
  kotlin: 'java',
  scala: 'java',
}

function findDisabled(sightings: Sightings): void {
  const language = SAME[sightings.facts.language] ?? sightings.facts.language
  const { text, source } = sightings
  for (const [piece, then] of DISABLED[language] ?? []) {
    for (const at of sightings.occurrences(piece)) {
      const rest = text.slice(at, at + 120).split('\n', 1)[0]
      // a name that is only defined, imported or compared with switches nothing off
      if (!then.test(rest) || /\b(?:import|def|==|!=|is|in)\b[^=]*$|[!=]=\s*[\w.]*$/.test(sightings.before(at)))
        continue
      sightings.add('check_disabled', source.lineAt(at))
    }
  }
  // of what has to be imported the facts tell
  for (const { name, line, alias } of sightings.facts.imports)
    if (name === 'csrf_exempt' || name === 'AllowAny') findUses(sightings, alias, line)
  for (const piece of OPEN[language] ?? [])
    for (const at of sightings.occurrences(piece)) sightings.add('open_to_all', source.lineAt(at))
}

function findUses(sightings: Sightings, name: string, importedAt: number): void {
  for (const { path, line } of sightings.facts.references)
    if (path === name && line !== importedAt) sightings.add('open_to_all', line)
}

function findEndpoints(sightings: Sightings): void {
  sightings.facts.definitions.forEach((it, d) => {
    if (it.kind !== 'route' && !it.tags.some((tag) => ENDPOINTS.includes(tag))) return
    const body = sightings.textOf(d)
    const head = body.slice(0, Math.max(body.indexOf(it.name), 0) + 400)
    sightings.add(GUARD.test(head) ? 'guarded_endpoint' : 'endpoint', it.kind === 'route' ? it.line : it.nameLine)
  })
}
