/** Errors that are caught and dropped, or end the program. */

import type { Match } from '#ingest/parse'
import type { Sightings } from '#ingest/patterns/sightings'

/** What an empty handler of a loop, a branch or nothing at all is made of, comments left out. */
const NOTHING = /^(?:pass|\.\.\.|continue|nil|null|None|Unit|\(\)|;|\s)*$/
/** Types whose absence is asked for by trying: no error but an answer. */
const EXPECTED =
  /^\(?\s*(?:[\w.]+\.)?(?:ImportError|ModuleNotFoundError|KeyError|IndexError|AttributeError|StopIteration|StopAsyncIteration|GeneratorExit|KeyboardInterrupt|FileNotFoundError|FileExistsError|ProcessLookupError|NotImplementedError|TypeError|ValueError|UnicodeDecodeError|UnicodeEncodeError|BrokenPipeError|ConnectionResetError|CancelledError|TimeoutError|QueueEmpty|Empty|Full|LookupError|DoesNotExist|InterruptedException|ClassNotFoundException|NoSuchFieldException|NoSuchMethodException|NoSuchFieldError|NoClassDefFoundError|NumberFormatException|CloneNotSupportedException|CancellationException|OperationCanceledException|ObjectDisposedException|TaskCanceledException|LoadError|NameError|NoMethodError|StandardError::EOFError|EOFError|Errno::ENOENT)\b/
const TYPED = /^(?:python|java|kotlin|scala|csharp|cpp|php|ruby)$/
/** Kinds of errors that may have any cause; no kind at all is all of them. */
const BROAD =
  /(?:^|[\s.|(,:\\])(?:Exception|BaseException|Throwable|Error|StandardError|RuntimeError|RuntimeException|OSError|IOError|IOException|SQLException|EnvironmentError|exception|DatabaseError|OperationalError|RequestException|HTTPError|URLError)(?![\w.])|\.\.\.|^\s*$/
const PASSED_ON =
  /\b(?:raise|throw|rethrow|throws|return|abort|exit|fail|reject|panic|log\w*|warn\w*|error\w*|print\w*|report\w*|debug|info|capture\w*|notify\w*|emit|callback|cb|done|next|set_exception|setException|completeExceptionally|record\w*|handle\w*|trace\w*|exc_info|sys\.exc_info|traceback|assert\w*|yield|on[A-Z]\w*)\b/i
/** Tidying up before giving up anyway: that it fails changes nothing. */
const TIDYING =
  /\b(?:close|unlink|remove|rmdir|rmtree|rm|delete|kill|terminate|shutdown|cancel|disconnect|destroy|dispose|release|cleanup|flush|join|interrupt|unsubscribe|abort|stop)\w*\s*\(/i

export function findErrors(sightings: Sightings): void {
  for (const mark of sightings.marks) {
    if (mark.kind === 'catch') readHandler(sightings, mark)
    else if (mark.kind === 'modifier') readModifier(sightings, mark)
    else if (mark.kind === 'empty') readEmptyBlock(sightings, mark)
  }
  switch (sightings.facts.language) {
    case 'rust':
      findAborts(
        sightings,
        ['unwrap', 'expect', 'panic', 'todo', 'unimplemented'],
        /\.(?:unwrap|expect)$|^(?:panic|todo|unimplemented)$/,
      )
      findIgnored(sightings, 'let _ = ')
      break
    case 'go':
      findAborts(
        sightings,
        ['Fatal', 'Fatalf', 'Fatalln', 'Panic', 'Panicf', 'Panicln', 'Exit'],
        /^(?:log\.(?:Fatal|Fatalf|Fatalln|Panic|Panicf|Panicln)|os\.Exit)$/,
      )
      findPanics(sightings)
      for (const sign of [', _ := ', ', _ = ']) findIgnored(sightings, sign)
      break
    case 'swift':
      for (const at of sightings.occurrences('try!')) sightings.add('aborts_on_error', sightings.source.lineAt(at))
      break
    case 'kotlin':
      for (const at of sightings.occurrences('!!')) sightings.add('aborts_on_error', sightings.source.lineAt(at))
      break
    case 'typescript':
    case 'tsx':
    case 'javascript':
      for (const { reference, at } of sightings.calls(['catch'])) readRejection(sightings, reference.line, at)
  }
}

function readHandler(sightings: Sightings, mark: Match): void {
  const { source, text } = sightings
  const body = source.part(mark, 'body')
  const { language } = sightings.facts
  const catchesAll = body === undefined || mayCatchAll(language, text.slice(mark.start, body.start))
  // what is done about an error takes some room
  if (mark.end - mark.start > LONG && !catchesAll) return
  const whole = source.slice(mark)
  if (!catchesAll && whole.length > MEDIUM && !/#|\/[/*]/.test(whole)) return
  const { head, inner } =
    body === undefined ? splitHandler(whole) : { head: text.slice(mark.start, body.start), inner: source.slice(body) }
  const comments = commentsIn(inner)
  const code = comments.code.replace(/^\s*\{|\}\s*$/g, '').replace(/^\s*(?:do|then)\b/, '')
  // in Python a comment may stand in front of the block
  const above = commentsIn(head)
  const types = caughtTypes(above.code, mark.kind)
  const tried = triedText(sightings, mark.start)
  if (NOTHING.test(code)) {
    if (EXPECTED.test(types)) return
    const rest = text.slice(mark.end, mark.end + 120).split('\n', 1)[0]
    const isNarrow = TYPED.test(language) && !BROAD.test(types)
    const remedy =
      comments.found || above.found || commentsIn(rest).found
        ? 'a comment says why'
        : TIDYING.test(tried) && tried.length < SHORT
          ? 'what is tried is tidying up'
          : isNarrow
            ? 'only one kind of error is let pass'
            : ''
    sightings.add('swallowed_error', mark.line, remedy)
    return
  }
  if (!(language === 'python' ? isBare(types) : catchesAll && mayCatchAll(language, types))) return
  if (PASSED_ON.test(code) || usesCaught(above.code, code)) return
  sightings.add('caught_too_much', mark.line, comments.found || above.found ? 'a comment says why' : '')
}

const SHORT = 300
const MEDIUM = 120
const LONG = 400
const JVM_OR_PHP = /^(?:java|kotlin|scala|php)$/

/** Whether the head of a handler may name all that can be thrown, the end of the program as well. */
function mayCatchAll(language: string, head: string): boolean {
  if (language === 'python') return /^except\s*:|BaseException/.test(head)
  if (language === 'ruby') return /\bException\b/.test(head)
  return language === 'cpp' ? head.includes('...') : JVM_OR_PHP.test(language) && /\bThrowable\b/.test(head)
}

/** Catching `Exception` is a habit; catching the end of the program as well is too much. */
function isBare(types: string): boolean {
  return types === '' || /^\(?\s*BaseException\b/.test(types)
}

function usesCaught(head: string, code: string): boolean {
  const name = /(?:\bas\s+|=>\s*|[\w\])>?]\s+\$?)([\p{L}_][\p{L}\p{N}_]*)\s*(?:\)|:|\{|$)/u.exec(head)?.[1]
  return name !== undefined && new RegExp(`(?<![\\w$])${name}(?![\\w$])`).test(code)
}

/** Without a part for the body, as in Kotlin and Ruby. */
function splitHandler(whole: string): { head: string; inner: string } {
  const brace = whole.indexOf('{')
  if (brace >= 0 && /^(?:catch|\s)*\b/.test(whole)) return { head: whole.slice(0, brace), inner: whole.slice(brace) }
  const line = whole.search(/\n|;|\bthen\b/)
  return line < 0 ? { head: whole, inner: '' } : { head: whole.slice(0, line), inner: whole.slice(line + 1) }
}

function commentsIn(inner: string): { code: string; found: boolean } {
  const code = inner.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|(?:^|(?<=\s))#[^\n]*/g, '')
  // a mark for a checker is no reason
  const said = inner
    .match(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|(?:^|(?<=\s))#[^\n]*/g)
    ?.some(
      (it) => /[\p{L}]{3,}\s+\p{L}{2,}/u.test(it) && !/^\W*(?:eslint|noqa|nosec|pylint|type:|pragma|NOSONAR)/.test(it),
    )
  return { code, found: said === true }
}

/** Types that a handler names, '' when it names none. */
function caughtTypes(head: string, kind: string): string {
  if (kind !== 'catch') return ''
  return head
    .replace(/^\s*(?:except\*?|catch|rescue)\b\s*\(?/, '')
    .replace(/[):{\s]+$/, '')
    .replace(/\s*\bas\s+[\p{L}\p{N}_]+$/u, '')
    .replace(/\s*=>\s*@?\w+$/, '')
    .replace(/^\s*(?:final\s+)?(?:\w+\s*:\s*)?/, '')
    .trim()
}

/** What stands in front of a handler, back to its `try`. */
function triedText({ text }: Sightings, start: number): string {
  const before = text.slice(Math.max(0, start - 2 * SHORT), start)
  const at = Math.max(before.lastIndexOf('try'), before.lastIndexOf('begin'))
  return at < 0 ? before : before.slice(at)
}

/** `value rescue nil`. */
function readModifier(sightings: Sightings, mark: Match): void {
  const handler = sightings.source.partText(mark, 'body')
  if (/^(?:nil|false|""|''|\[\]|\{\})$/.test(handler.trim())) sightings.add('swallowed_error', mark.line)
}

/** `if err != nil {}`. */
function readEmptyBlock(sightings: Sightings, mark: Match): void {
  if (/\bif\b[^\n]*\berr\w*\s*!=\s*nil\s*$/i.test(sightings.before(mark.start))) {
    const comments = commentsIn(sightings.source.slice(mark))
    sightings.add('swallowed_error', mark.line, comments.found ? 'a comment says why' : '')
  }
}

/** A rejected promise with an empty handler. */
function readRejection(sightings: Sightings, line: number, at: number): void {
  if (at < 0) return
  const call = sightings.text.indexOf('.catch(', at)
  const found =
    /^\.catch\(\s*(?:async\s*)?(?:\(\s*\w*\s*\)|\w+)\s*=>\s*(?:\{([^}]*)\}|(?:undefined|null|void 0))\s*\)/.exec(
      sightings.text.slice(call, call + SHORT),
    )
  if (found === null) return
  const comments = commentsIn(found[1] ?? '')
  if (/\S/.test(comments.code)) return
  const tidies = TIDYING.test(sightings.text.slice(at, call))
  const remedy = comments.found ? 'a comment says why' : tidies ? 'what is tried is tidying up' : ''
  sightings.add('swallowed_error', call < 0 ? line : sightings.source.lineAt(call), remedy)
}

/** Of a mutex that can only be poisoned, or of a value that stands there, nothing is to be expected. */
const CANNOT_FAIL =
  /\.(?:lock|read|write|borrow|borrow_mut)\(\)\s*\.unwrap|\bRegex::new\(|::new\(r?#*"|\.parse\(\)\s*\.unwrap\(\)\s*;?\s*\/\/|NonZero|LazyLock|lazy_static|OnceLock/

function findAborts(sightings: Sightings, names: readonly string[], fits: RegExp): void {
  for (const { reference } of sightings.calls(names, fits)) {
    if (reference.unreachable === true) continue
    const { line, from } = reference
    const code = sightings.lineText(line)
    const start = sightings.facts.language === 'go' ? sightings.definition(sightings.functionOf(from))?.name : undefined
    // a program may end itself, a library should not
    if (start !== undefined && /^(?:main|init|Must\w*|must\w*)$/.test(start)) continue
    const remedy = CANNOT_FAIL.test(code)
      ? 'it cannot fail by itself'
      : /\.expect\(\s*"/.test(code)
        ? 'a message says why it cannot fail'
        : commentsIn(code).found
          ? 'a comment says why'
          : ''
    sightings.add('aborts_on_error', line, remedy)
  }
}

/** A built-in of the language is no reference. */
function findPanics(sightings: Sightings): void {
  for (const at of sightings.occurrences('panic(')) {
    const name = sightings.definition(sightings.functionOf(sightings.scopeAt(at)))?.name ?? ''
    if (/[\w.]$/.test(sightings.before(at)) || /^(?:main|init|Must\w*|must\w*)$/.test(name)) continue
    const says = /^panic\(\s*(?:fmt\.(?:Sprintf|Errorf)\(|errors\.New\()?\s*["`]/.test(
      sightings.text.slice(at, at + 60),
    )
    sightings.add('aborts_on_error', sightings.source.lineAt(at), says ? 'a message says what must not be' : '')
  }
}

/** Calls whose second result is no error. */
const NO_ERROR =
  /(?:^|\.)(?:Cut|CutPrefix|CutSuffix|Load|LoadOrStore|LoadAndDelete|LookupEnv|Deadline|Caller|Callers|DecodeRune\w*|DecodeLastRune\w*|Split|SplitHostPort|Lookup|Get|Peek|Find\w*|Search\w*|BinarySearch\w*|ReadBuildInfo|Uvarint|Varint|FromContext|Value|Swap|Loc\w*|Frexp|Modf|Next|Min|Max|Pop\w*|Zone|ISOWeek|Date|Clock|Size|Bounds|Has\w*|Is\w*|Contains\w*|Parse\w*Tag|FieldByName|MethodByName|Int|Float|String|Bool|Name\w*|Ok|Lookup\w*|Resolve\w*|Select|Chan|Recv|WithCancel|WithTimeout|ReadRune|Unwrap|As|Type\w*|Kind)$/

/** Assignments of what a call gives to nothing; `sign` is what stands in front of the call. */
function findIgnored(sightings: Sightings, sign: string): void {
  const isRust = sightings.facts.language === 'rust'
  for (const at of sightings.occurrences(sign)) {
    const path = /^[\w.]+(?:::\w+)*(?=\()/.exec(sightings.text.slice(at + sign.length, at + sign.length + 120))?.[0]
    if (path === undefined || (!isRust && NO_ERROR.test(path))) continue
    const isNamed = isRust || /(?:^|[\s,])_(?:\s*,\s*_)*$/.test(sightings.before(at))
    const remedy = TIDYING.test(`${path}(`) ? 'what is tried is tidying up' : isNamed ? 'it is named as ignored' : ''
    sightings.add('ignored_error', sightings.source.lineAt(at), remedy)
  }
}
