/**
 * Stack traces as text: which lines are frames, in which order they were called, and which error they tell of.
 * Lines may be quoted, numbered by a log, interleaved with other output or cut off.
 */

export interface Frame {
  /** As written, with `/` between its parts and without scheme, host, query and leading dots; '' when not told. */
  path: string
  /** 0 when not told. */
  line: number
  /** As written; '' when not told. */
  function: string
  language: string
}

export interface Trace {
  /** `python`, `javascript`, …; `unknown` when nothing tells. */
  language: string
  /** Class of the error, or `panic`; '' when not told. */
  errorType: string
  errorMessage: string
  /** Outermost first; the deepest of the error that counts comes last. */
  frames: Frame[]
  /** Further stacks (other threads, who allocated or freed) that were left out. */
  otherStacks: number
  /** Characters that were left out of a text that is too long, 0 when none. */
  skippedChars: number
}

/** Longer pastes are read at both ends; what stands in the middle of a stack tells least. */
const HEAD_CHARS = 200_000
const TAIL_CHARS = 100_000
const LONGEST_LINE = 2000
const SHORTEST_FRAME = 5
/** Told apart from most other lines before any grammar is asked. */
const MAY_BE_FRAME = /[:(]\d|line \d|\bat |#\d/
/** A recursion of thousands of frames says no more than this many. */
const MOST_FRAMES = 2000

interface Grammar {
  language: string
  frame: RegExp
  /** Which groups of `frame` are what; 0 = none. */
  path: number
  line: number
  name: number
  /** The name stands on the line before. */
  above?: RegExp
}

const GRAMMARS: readonly Grammar[] = [
  // File "shop/cart.py", line 12, in total
  { language: 'python', frame: /File "([^"\n]{1,400})", line (\d{1,7})(?:, in (\S.*))?/, path: 1, line: 2, name: 3 },
  // shop/cart.py:12: in total · shop/cart.py:12: KeyError · shop\cart.py:12:total
  {
    language: 'python',
    frame: /(?:^|\s)([\w.:@~+\\/-]{1,300}\.pyx?):(\d{1,7}):\s?(?:in )?([a-z_<][\w.]*>?|[A-Z]\w*)\s*$/,
    path: 1,
    line: 2,
    name: 3,
  },
  //   3: shop::cart::total
  //         at ./src/cart.rs:12:5
  {
    language: 'rust',
    frame: /\bat ((?:[A-Za-z]:)?[^\s:"'()]{1,300}\.rs):(\d{1,7})(?::\d+)?/,
    path: 1,
    line: 2,
    name: 0,
    above: /\b\d+:\s+(?:0x[0-9a-f]+ - )?(\S.*?)(?:::h[0-9a-f]{16})?\s*$/,
  },
  // panicked at 'message', src/cart.rs:12:5 · panicked at src/cart.rs:12:5:
  {
    language: 'rust',
    frame: /panicked at (?:.*?,\s*)?((?:[A-Za-z]:)?[^\s:"',()]{1,300}\.rs):(\d{1,7})/,
    path: 1,
    line: 2,
    name: 0,
  },
  // at org.shop.Cart.total(Cart.java:12) · at java.base/java.lang.Thread.run(Thread.java:833)
  {
    language: 'java',
    frame: /\bat (?:[\w.$@-]*\/+)*([\w$.<>/-]+)\(([\w$-]+\.(?:java|kt|kts|scala|groovy|clj)):(\d{1,7})\)/,
    path: 2,
    line: 3,
    name: 1,
  },
  {
    language: 'java',
    frame:
      /\bat (?:[\w.$@-]*\/+)*([\w$]+(?:\.[\w$<>]+)+)\((?:Native Method|Unknown Source|<generated>|[\w$-]+\.java)\)/,
    path: 0,
    line: 0,
    name: 1,
  },
  // at Shop.Cart.Total(Int32 n) in C:\shop\Cart.cs:line 12
  { language: 'csharp', frame: /\bat (.{1,300}?) in (.{1,300}?):line (\d{1,7})/, path: 2, line: 3, name: 1 },
  { language: 'csharp', frame: /^\s*at ((?:System|Microsoft)\.[\w.`<>[\],+]+)\(/, path: 0, line: 0, name: 1 },
  // at total (shop/cart.js:12:5) · at async shop/cart.js:12:5 · at new Cart (file:///srv/cart.mjs:1:2)
  {
    language: 'javascript',
    frame:
      /\bat (?:async )?(?:(.{1,200}?) (?:\[as [^\]]*\] )?\()?((?:[\w.+-]+:\/{2,3}|[A-Za-z]:[\\/]|node:)?[^\s():]{1,400}(?:\([^)\s]*\)[^\s():]*)?):(\d{1,7}):\d+\)?/,
    path: 2,
    line: 3,
    name: 1,
  },
  {
    language: 'javascript',
    frame: /\bat (?:async )?(\S.{0,200}?) \((?:<anonymous>|native|index \d+)\)/,
    path: 0,
    line: 0,
    name: 1,
  },
  // total@http://localhost:3000/src/cart.js:12:5
  {
    language: 'javascript',
    frame:
      /^\s*(?:async\*)?([^\s@(]{0,200})@((?:https?|file|webpack|webpack-internal|app|resource|moz-extension):\S{1,400}?|\/\S{1,300}?):(\d{1,7}):\d+$/,
    path: 2,
    line: 3,
    name: 1,
  },
  // shop.(*Cart).Total(0xc000, 0x1)
  //     /srv/shop/cart.go:12 +0x1d
  {
    language: 'go',
    frame:
      /(?:^|\s)((?:[A-Za-z]:)?[^\s:"'(]{0,300}\/[^\s:"'(]{1,200}\.(?:go|s)):(\d{1,7})(?: \+0x[0-9a-f]+| \(0x[0-9a-f]+\)|\s*$)/,
    path: 1,
    line: 2,
    name: 0,
    above: /(?:created by )?([\w.\-/%]*[\w)]\.[\w.()*[\]…·-]+?)(?:\(.*\)?|\s+in goroutine \d+)?\s*$/,
  },
  // shop/cart.rb:12:in 'total'
  {
    language: 'ruby',
    frame:
      /((?:[A-Za-z]:)?[^\s:'"()`]{1,300}(?:\.(?:rb|erb|rake|ru|haml|slim|builder|jbuilder)|\/bin\/\w+)):(\d{1,7}):in [`'"]([^'"]+)['"]/,
    path: 1,
    line: 2,
    name: 3,
  },
  // #0 /srv/shop/cart.php(12): Shop\Cart->total()
  {
    language: 'php',
    frame: /#\d+ (.{1,300}?\.(?:php|phtml|inc))\((\d{1,7})\)(?:: (.+?)\(|$)/,
    path: 1,
    line: 2,
    name: 3,
  },
  { language: 'php', frame: /#\d+ \[internal function\]: (.+?)\(/, path: 0, line: 0, name: 1 },
  {
    language: 'php',
    frame: /\bin (\/?\S{1,300}\.(?:php|phtml|inc)(?:\.\w+)?)(?::| on line )(\d{1,7})/,
    path: 1,
    line: 2,
    name: 0,
  },
  // #1 0x4f in shop::total(int) /srv/shop/cart.cc:12:3 · #1 total (n=1) at cart.c:12
  {
    language: 'cpp',
    frame:
      /^.{0,40}?#\d+\s+(?:0x[0-9a-f]+ )?(?:in )?(.{1,400}?)\s+(?:at )?((?:[A-Za-z]:)?[^\s()]{1,300}\.(?:c|cc|cpp|cxx|c\+\+|h|hh|hpp|hxx|inl|ipp|m|mm|cu|S|rs|swift)):(\d{1,7})(?::\d+)?\s*$/,
    path: 2,
    line: 3,
    name: 1,
  },
  {
    language: 'cpp',
    frame: /^.{0,40}?#\d+\s+0x[0-9a-f]+ in (.{1,400}?) \((?:from )?[^\s()]+\+0x[0-9a-f]+\)/,
    path: 0,
    line: 0,
    name: 1,
  },
  {
    language: 'cpp',
    frame: /^.{0,40}?#\d+\s+(?:0x[0-9a-f]+ in )?(.{1,400}?) \(.*\) from \S+\.so\S*/,
    path: 0,
    line: 0,
    name: 1,
  },
  // (shop 1.0.0) lib/cart.ex:12: Shop.Cart.total/1 · cart.lua:12: in function 'total'
  { language: 'elixir', frame: /\(\w[\w ]*\d[\w.-]*\) (\S{1,300}\.exs?):(\d{1,7}): (\S+)/, path: 1, line: 2, name: 3 },
  {
    language: 'lua',
    frame: /(?:^|\s)(\S{1,300}\.lua):(\d{1,7}): in (?:function |upvalue |method |local |main chunk)?[<'"]?([^'">]*)/,
    path: 1,
    line: 2,
    name: 3,
  },
  {
    language: 'dart',
    frame: /#\d+\s+(\S.*?) \((?:package:)?(\S{1,300}\.dart):(\d{1,7})(?::\d+)?\)/,
    path: 2,
    line: 3,
    name: 1,
  },
  {
    language: 'swift',
    frame: /(?:^|\s)([^\s:"']{1,300}\.swift):(\d{1,7})(?::\d+)?: (?:Fatal error|Assertion)/,
    path: 1,
    line: 2,
    name: 0,
  },
]
/** What is no frame of a known kind, tried when there is none. */
const ANY: Grammar = {
  language: 'unknown',
  frame: /(?:^|[\s"'(<])((?:[A-Za-z]:[\\/])?[\w.@~+\\/-]{1,300}\.[A-Za-z]\w{0,6})[:(](\d{1,7})/,
  path: 1,
  line: 2,
  name: 0,
}
const BY_LANGUAGE = new Map(GRAMMARS.map((it) => [it.language, GRAMMARS.filter((one) => one.language === it.language)]))
/** What a language's name may be written as. */
const ALIASES = new Map(
  Object.entries({
    typescript: 'javascript',
    tsx: 'javascript',
    kotlin: 'java',
    scala: 'java',
    c: 'cpp',
  }),
)

/** Languages that print the outermost frame first. */
const OUTERMOST_FIRST = new Set(['python'])
/** Languages whose later stacks are causes of the one before. */
const LAST_COUNTS = new Set(['python', 'java', 'javascript', 'csharp', 'php', 'ruby', 'unknown'])
const NEW_STACK =
  /Traceback \(most recent call last\)|\bCaused by:|\bSuppressed:|\[cause\]:|goroutine \d+ \[|previously allocated by|freed by thread|^\s*Thread \d+ \(|During handling of the above|direct cause of the following|^\s*(?:\|\s*)*\+-+ \d+ -+|--- End of inner exception|^(?:Uncaught |Unhandled )?\w*(?:Error|Exception)\b.*:|^--- .* ---$|Next \w+/
const REVERSED_RUBY = /Traceback \(most recent call last\)/
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of terminals begin with one
const COLOURS = /\u001b\[[0-9;]*m/g

interface Stack {
  language: string
  frames: Frame[]
  /** Text of the line that began it, and its position. */
  from: number
  to: number
}

/** Reads a trace; `hint` is the language if the caller knows it, else ''. */
export function readTrace(text: string, hint = ''): Trace {
  const isLong = text.length > HEAD_CHARS + TAIL_CHARS
  const read = isLong ? `${text.slice(0, HEAD_CHARS)}\n${text.slice(-TAIL_CHARS)}` : text
  const lines = read.split(/\r\n|\n|\r/).map((it) => it.slice(0, LONGEST_LINE).replace(COLOURS, ''))
  const known = hint === '' ? undefined : BY_LANGUAGE.get(ALIASES.get(hint) ?? hint)
  let stacks = stacksIn(lines, known ?? GRAMMARS)
  if (stacks.length === 0 && known !== undefined) stacks = stacksIn(lines, GRAMMARS)
  if (stacks.length === 0) stacks = stacksIn(lines, [ANY])
  const language = hint === '' ? languageOf(read, stacks) : hint

  const ordered = stacks.map((it) => inOrder(it, read))
  const main = mainStack(stacks)
  // earlier links of a chain stand further out; other threads are left out
  const isChain = main !== undefined && LAST_COUNTS.has(main.language)
  const frames = isChain ? ordered.flat() : main === undefined ? [] : ordered[stacks.indexOf(main)]
  return {
    language,
    ...errorOf(lines, main, stacks),
    frames: frames.slice(-MOST_FRAMES),
    otherStacks: isChain ? 0 : Math.max(0, stacks.length - 1),
    skippedChars: isLong ? text.length - HEAD_CHARS - TAIL_CHARS : 0,
  }
}

/** The frame that a line tells of, null when it is none. */
export function frameOn(line: string, above = '', grammars: readonly Grammar[] = GRAMMARS): Frame | null {
  if (line.length < SHORTEST_FRAME || !MAY_BE_FRAME.test(line)) return null
  for (const grammar of grammars) {
    const frame = readFrame(grammar, line, above)
    if (frame !== null) return frame
  }
  return null
}

function readFrame(
  { language, frame, path, line, name, above: nameAbove }: Grammar,
  text: string,
  above: string,
): Frame | null {
  const found = frame.exec(text)
  if (found === null) return null
  const written = path === 0 ? '' : (found[path] ?? '')
  const called = name > 0 ? (found[name] ?? '') : (nameAbove?.exec(above)?.[1] ?? '')
  const clean = cleanPath(written)
  return {
    path: language === 'java' && path > 0 ? javaPath(called, clean) : clean,
    line: line === 0 ? 0 : Number(found[line]),
    // code of a module outside of any function
    function: called.trim().replace(/^async\*?\s+/, '') || (name > 0 && language === 'python' ? '<module>' : ''),
    language: language === 'javascript' && /\.[cm]?tsx?$/.test(clean) ? 'typescript' : language,
  }
}

/** `org.shop.Cart$Line.total` in `Cart.java` lies in `org/shop/Cart.java`. */
function javaPath(called: string, file: string): string {
  const segments = called.split(/[./]/)
  // class and method, with what the compiler puts between
  while (segments.length > 0 && !/^[A-Z]/.test(segments[segments.length - 1])) segments.pop()
  while (segments.length > 0 && /^[A-Z]|\$|^<|^lambda/.test(segments[segments.length - 1])) segments.pop()
  return [...segments, file].join('/')
}

/** A path without what a bundler, a browser or a shell puts in front or behind it. */
export function cleanPath(path: string): string {
  return path
    .slice(path.lastIndexOf('!') + 1)
    .replaceAll('\\', '/')
    .replace(/^node:/, 'node:')
    .replace(
      /^(?:webpack-internal|webpack|app|file|https?|resource|moz-extension|chrome-extension|vscode-file|capacitor|turbopack):\/\/+(?:localhost|127\.0\.0\.1|\[::1\]|[\w.-]+)?(?::\d+)?(?=\/|\.|\(|$)/,
      (whole) =>
        /^(?:https?|resource|moz|chrome|vscode|capacitor)/.test(whole) ? '' : whole.replace(/^[\w-]+:\/\/+/, ''),
    )
    .replace(/^\/*(?:\([\w-]+\)|\[[\w-]+\]|_N_E|@fs)\//, '')
    .replace(/[?#].*$/, '')
    .replace(/^(?:\.{0,2}\/)+(?=.)/, '')
    .replace(/[/.:]+$/, '')
}

function stacksIn(lines: readonly string[], grammars: readonly Grammar[]): Stack[] {
  const stacks: Stack[] = []
  let current: Stack | null = null
  let count = 0
  for (let i = 0; i < lines.length && count < 10 * MOST_FRAMES; i++) {
    const line = lines[i]
    const frame = frameOn(line, i > 0 ? lines[i - 1] : '', grammars)
    if (frame === null) {
      if (NEW_STACK.test(line)) current = null
      continue
    }
    const language = ALIASES.get(frame.language) ?? frame.language
    if (current === null || (current.language !== language && current.language !== 'unknown')) {
      current = { language, frames: [], from: i, to: i }
      stacks.push(current)
    }
    current.frames.push(frame)
    current.to = i
    count++
  }
  return stacks
}

function inOrder({ language, frames: printed }: Stack, text: string): Frame[] {
  const placeOf = ({ path, line }: Frame) => `${path}:${line}`
  const named = new Set(printed.filter((it) => it.function !== '').map(placeOf))
  // the line that tells of a panic has the place of a frame below it, and not its name
  const frames = printed.filter((it) => it.function !== '' || !named.has(placeOf(it)))
  const asPrinted = OUTERMOST_FIRST.has(language) || (language === 'ruby' && REVERSED_RUBY.test(text))
  return asPrinted ? frames : frames.toReversed()
}

/** The stack that tells where the error arose. */
function mainStack(stacks: readonly Stack[]): Stack | undefined {
  const first = stacks[0]
  if (first === undefined) return undefined
  return LAST_COUNTS.has(first.language) ? stacks[stacks.length - 1] : first
}

function languageOf(text: string, stacks: readonly Stack[]): string {
  const counts = new Map<string, number>()
  for (const { frames } of stacks)
    for (const { language } of frames) counts.set(language, (counts.get(language) ?? 0) + 1)
  let best = 'unknown'
  let most = 0
  for (const [language, count] of counts) {
    if (count <= most) continue
    best = language
    most = count
  }
  if (best !== 'unknown') return best
  if (/Traceback|File "/.test(text)) return 'python'
  if (/panicked at|thread '/.test(text)) return 'rust'
  if (/\bgoroutine\b|\.go:/.test(text)) return 'go'
  if (/\.java:|Exception in thread/.test(text)) return 'java'
  if (/\.tsx?:/.test(text)) return 'typescript'
  return /\.js:|^ {4}at /m.test(text) ? 'javascript' : 'unknown'
}

/** What may stand before the name of an error. */
const LEAD = String.raw`(?:Uncaught |Unhandled exception\.? |Caused by: |Exception in thread "[^"]*" |E\s{2,}|PHP Fatal error:\s+Uncaught )`
const NAME = String.raw`(?:[\p{L}_][\p{L}\p{N}_$]*(?:\.|::|\\))*[\p{L}_][\p{L}\p{N}_$]*`
const TYPED = new RegExp(
  String.raw`(?:^|[\s:>|(])${LEAD}?(${NAME}(?:Error|Exception|Warning|Failure|Fault|Interrupt|Exit|Iteration|Throwable|Panic)\w*)` +
    String.raw`(?: \[\w+\]| \(in promise\))?(?::\s+(.*)|\s*\((.*)\)|\s*$)`,
  'u',
)
/** The plain classes at the root of all others; the words alone are in many a sentence. */
const PLAIN = new RegExp(
  String.raw`(?:^|[\s:>|(])${LEAD}?((?:[\w$]+(?:\.|::|\\))*(?:Error|Exception|Throwable))(?: \[\w+\]| \(in promise\))?:\s+(.*)`,
)
/** Errors may be called anything: a name in capitals at the start of the line above the frames. */
const NAMED = new RegExp(String.raw`^${LEAD}?((?:[\w$]+(?:\.|::|\\))*\p{Lu}[\p{L}\p{N}_$]*)(?::\s+(.*)|\s*$)`, 'u')
/** cart.rb:12:in 'total': no price (PriceError) */
const RUBY_ERROR = /:in [`'"][^'"]+['"]: (.*) \(([A-Z][\w:]*)\)\s*$/
/** Of Python any name may be an error. */
const PYTHON_ERROR = /^(?:\s*\|\s*)*(?:E\s+)?([\p{L}_][\p{L}\p{N}_.]*)(?::\s+(.*))?$/u
const PANICS: readonly (readonly [RegExp, string])[] = [
  [/\b(panic): (.*)/, 'panic'],
  [/\b(fatal error): (.*)/, 'fatal error'],
  [/panicked at ['"](.*?)['"], \S+\.rs/, 'panic'],
  [/ERROR: (\w+Sanitizer): (.*)/, ''],
  [/Program (?:received|terminated with) signal (SIG\w+)(?:, (.*))?/, ''],
]

function errorOf(
  lines: readonly string[],
  main: Stack | undefined,
  stacks: readonly Stack[],
): { errorType: string; errorMessage: string } {
  if (main === undefined) return typedLine(lines.toReversed()) ?? { errorType: '', errorMessage: '' }
  if (main.language === 'python') {
    // below the last frame and its line of code
    for (let i = main.to + 1; i < Math.min(lines.length, main.to + 40); i++) {
      const line = lines[i].replace(/^(?:\s*\|)+\s?/, '').replace(/^>+\s?/, '')
      if (/^\s{2,}\S/.test(line) && !/^\s*E\s/.test(line)) continue
      const found = PYTHON_ERROR.exec(line.trim())
      if (found !== null && /^[\w.]+$/.test(found[1]) && (found[2] !== undefined || /[A-Z]/.test(found[1])))
        return { errorType: found[1], errorMessage: (found[2] ?? '').trim() }
    }
  }
  if (main.language === 'go' || main.language === 'rust' || main.language === 'cpp') {
    for (let i = 0; i < lines.length; i++) {
      for (const [line, type] of PANICS) {
        const found = line.exec(lines[i])
        if (found === null) continue
        const message = (type === '' || found[2] !== undefined ? (found[2] ?? '') : found[1]).replace(
          /\s*\[recovered\].*$/,
          '',
        )
        return { errorType: type || found[1], errorMessage: message.trim() }
      }
      if (/panicked at \S+\.rs:\d+/.test(lines[i]))
        return { errorType: 'panic', errorMessage: (lines[i + 1] ?? '').trim() }
    }
  }
  if (main.language === 'ruby') {
    const found = lines.map((it) => RUBY_ERROR.exec(it)).findLast((it) => it !== null)
    if (found !== undefined && found !== null) return { errorType: found[2], errorMessage: found[1].trim() }
  }
  // above the frames, nearest first; a message may take several lines
  const before = lines.slice(Math.max(0, main.from - 60), main.from + 1).toReversed()
  const found = typedLine(before) ?? typedLine(lines.slice(stacks[0].from))
  return found ?? errorOn(before.slice(0, 2), NAMED) ?? { errorType: '', errorMessage: '' }
}

function typedLine(lines: readonly string[]): { errorType: string; errorMessage: string } | null {
  return errorOn(lines, TYPED, PLAIN)
}

/** The first line that any of the wordings fits. */
function errorOn(
  lines: readonly string[],
  ...wordings: readonly RegExp[]
): { errorType: string; errorMessage: string } | null {
  for (const line of lines) {
    const found = wordings.map((it) => it.exec(line)).find((it) => it !== null)
    if (found !== undefined) return { errorType: found[1], errorMessage: (found[2] ?? found[3] ?? '').trim() }
  }
  return null
}
