/** What a sentence claims about the code: its kind and the two sides, from its wording alone. */

export const CLAIM_TYPES = [
  'never_calls',
  'no_dependency',
  'circular',
  'coupling',
  'gateway',
  'always_before',
  'isolated',
  'depends_on',
  'unknown',
] as const
export type ClaimType = (typeof CLAIM_TYPES)[number]

export interface Claim {
  type: ClaimType
  /** What stands on either side, as written; an object of '' when the claim has one side only. */
  subject: string
  object: string
  /** The sentence denies it: `A and B are not coupled`. */
  negated: boolean
  /** Only a single step counts: `A calls B directly`. */
  direct: boolean
  /** Why the sentence can be no single claim about two sides, and what to do instead; '' when it can. */
  problem: string
}

/** One wording; without `o` it is about one side. */
interface Rule {
  type: ClaimType
  pattern: RegExp
  negated: boolean
}

const BE = '(?:is|are|was|were|be|being|gets?|got|(?:has|have|had) been)'
const AUXILIARY = '(?:does|do|did|can|could|may|might|will|would|should|must|shall)'
/** Short forms are written out before. */
const NOT = `(?:${AUXILIARY} not)`
const HAVE = '(?:has|have|had|having|with|contains?|forms?|makes?|builds?|creates?)'
/** Base forms; a third person `s` is added where they are used. */
const USES =
  'call|import|touch|invoke|use|reference|access|reach|include|load|instantiate|need|require|consume|trigger|hit|talk to|know about|know of|refer to|delegate to|read from|write to|wrap|query'
const RELIES = 'depend on|depend upon|rely on|build on'
const DERIVES = 'extend|implement|inherit from|derive from|subclass'
const third = (verbs: string) =>
  verbs
    .split('|')
    .map((it) =>
      it.replace(/^(\w+)/, (word) =>
        /(?:ch|sh|s|x)$/.test(word)
          ? `${word}(?:es)?`
          : /[^aeiou]y$/.test(word)
            ? `${word.slice(0, -1)}(?:y|ies)`
            : `${word}s?`,
      ),
    )
    .join('|')
/** Of the same verbs. */
const GERUND =
  'calling|importing|touching|invoking|using|referencing|accessing|reaching|including|loading|instantiating|needing|requiring|consuming|triggering|talking to|referring to|depending on|relying on|extending|implementing|inheriting from|reading from|writing to|wrapping|querying'
const participle =
  'called|imported|touched|invoked|used|referenced|accessed|reached|included|loaded|instantiated|needed|required|consumed|triggered|wrapped|queried|depended on|relied on|extended|implemented|inherited'
const CYCLE = '(?:(?:import|call|dependency) )?(?:circular(?: \\w+)?|cyclic(?: \\w+)?|cycles?|circle|loop)'
const CHOKE = '(?:gateway|bottleneck|choke[ -]?point|single point of (?:entry|access|failure))'
const RUN =
  '(?:runs?|executes?|happens?|comes?|starts?|fires?|(?:is|are|gets?) (?:always )?(?:called|run|executed|invoked|started|done|initiali[sz]ed|set up|created|loaded|checked|validated))'

/** Tested in this order; the first that fits with something on each side wins. */
const RULES: Rule[] = [
  rule(
    'never_calls',
    `(?:nothing|no \\w+) (?:in|of|inside|within) <s> (?:ever )?(?:${third(RELIES)}|${third(USES)}) <o>`,
  ),
  // about everything that there is, which is no side
  rule('unknown', `(?:nothing|nobody|no one|everything|everyone) (?:ever )?(?:${third(RELIES)}|${third(USES)}) <s>`),
  rule('never_calls', `no <s> (?:ever )?(?:${third(USES)}) <o>`),
  rule('never_calls', `<s> never (?:${third(USES)}|${third(DERIVES)}) <o>`),
  rule('never_calls', `<s> (?:${NOT}|no longer) (?:directly )?(?:${third(USES)}|${third(DERIVES)}) <o>`),
  rule('never_calls', `<s> ${BE} (?:never|not|no longer) (?:${GERUND}) <o>`),
  rule('never_calls', `<o> ${BE} (?:never|not|no longer) (?:${participle}) (?:by|from|in) <s>`),
  rule('never_calls', `<s> (?:knows? nothing (?:about|of)|${BE} unaware of) <o>`),
  rule('never_calls', `<s> ${HAVE} no (?:connection|link|path|route|way|access|relation) (?:to|with|into) <o>`),
  rule(
    'never_calls',
    `there ${BE} no (?:\\w+ )?(?:connection|link|path|way|call|import) (?:from|between) <s> (?:to|and) <o>`,
  ),
  rule('no_dependency', `<s> ${BE} (?:not|never|no longer) (?:\\w+ )?dependent (?:on|upon) <o>`),
  rule('no_dependency', `<s> ${HAVE} nothing to do with <o>`),
  rule('no_dependency', `<s> and <o> ${HAVE} nothing (?:in common|to do with each other)`),
  rule('depends_on', `<s> (?:can not|${NOT}) (?:work|run|function|compile) without <o>`),
  rule('no_dependency', `<s> (?:works?|runs?|functions?) without <o>`),
  rule('no_dependency', `(?:removing|deleting|changing|a change (?:in|to|of)) <o> ${NOT} (?:affect|break|touch) <s>`),
  rule('no_dependency', `<s> ${BE} (?:\\w+ )?independent (?:of|from) <o>`),
  rule(
    'no_dependency',
    `<s> and <o> ${BE} (?:\\w+ )?(?:independent|unrelated|decoupled|separate)(?: (?:of|from) each other)?`,
  ),
  rule('no_dependency', `<s> ${HAVE} no (?:\\w+ )?(?:dependency|dependencies|dependence|reliance) (?:on|upon|to) <o>`),
  rule('no_dependency', `there ${BE} no (?:dependency|dependence) (?:of|from|between) <s> (?:on|to|and) <o>`),
  rule('no_dependency', `<s> (?:${NOT}|no longer) (?:ever )?(?:directly )?(?:${RELIES}) <o>`),
  rule('no_dependency', `<s> ${BE} (?:\\w+ )?(?:separate|separated|decoupled|detached|unrelated) (?:from|to|of) <o>`),

  rule('circular', `<s> and <o> (?:do not|never) (?:have|form) (?:an? |any )?${CYCLE}`, true),
  rule('circular', `there ${BE} (?:no|not an?|not any) ${CYCLE} (?:between|of|from) <s> (?:and|to) <o>`, true),
  rule('circular', `there ${BE} (?:no|not an?|not any) ${CYCLE} (?:in|through|around|involving|at) <s>`, true),
  rule('circular', `<s> (?:${HAVE} no|(?:does not|doesn't) have an?) ${CYCLE} with <o>`, true),
  rule('circular', `<s> (?:${BE} (?:not|never) (?:\\w+ )*?|${HAVE} no )${CYCLE}`, true),
  rule('circular', `(?:there ${BE} )?(?:an? )?${CYCLE} (?:between|of) <s> and <o>`),
  rule('circular', `<s> and <o> (?:${HAVE}|${BE}|depend|import|call|use)(?: \\w+)*? (?:an? )?${CYCLE}`),
  rule('circular', `<s> and <o> (?:depend on|import|call|use|reference) each other`),
  rule('circular', `<s> and <o> ${BE} (?:mutually|circularly|cyclically) dependent`),
  rule('circular', `<s> and <o> ${BE} mutually recursive`),
  rule('circular', `<s> (?:${HAVE}|${BE})(?: \\w+)*? (?:an? )?${CYCLE} with <o>`),
  rule('circular', `(?:there ${BE} )?(?:an? )?${CYCLE} (?:in|through|around|involving|at) <s>`),
  rule('circular', `<s> (?:${HAVE}|${BE})(?: \\w+)*? (?:an? )?${CYCLE}(?: \\w+)?`),

  rule('coupling', `<s> and <o> ${BE} (?:not|never) (?:\\w+ )?(?:coupled|connected)`, true),
  rule('coupling', `<s> and <o> (?:${NOT}|never) (?:change together|co-?change)`, true),
  rule('coupling', `<s> ${NOT} change (?:together |along )?with <o>`, true),
  rule(
    'coupling',
    `(?:when|whenever|if|every time) <s> changes?,? (?:then )?<o> (?:usually |often |always |also )?(?:changes?|has to change)(?: too| as well)?`,
  ),
  rule('coupling', `<s> (?:usually |often |always |also )?changes? (?:when|whenever|every time) <o> (?:changes?|does)`),
  rule('coupling', `<s> ${BE} (?:not|never) (?:\\w+ )?(?:coupled|connected) (?:to|with) <o>`, true),
  rule(
    'coupling',
    `<s> and <o> (?:${BE} )?(?:\\w+ )?(?:coupled|(?:tightly|closely|strongly) connected)(?: (?:to|with) each other)?`,
  ),
  rule(
    'coupling',
    `<s> and <o> (?:always |often |usually |mostly )?(?:change together|co-?change|${HAVE} (?:a )?co-?changes?)`,
  ),
  rule('coupling', `<s> (?:${BE} )?(?:\\w+ )?(?:coupled|(?:tightly|closely|strongly) connected) (?:to|with) <o>`),
  rule(
    'coupling',
    `<s> (?:always |often |usually |mostly )?(?:changes? (?:together |along )?with|co-?changes? with) <o>`,
  ),
  rule(
    'coupling',
    `(?:there ${BE} )?(?:an? )?(?:tight |strong |close )?(?:coupling|co-?change) (?:between|of) <s> and <o>`,
  ),

  rule(
    'gateway',
    `<s> ${BE} (?:not|never) (?:an? |the )?(?:\\w+ )?${CHOKE}(?: (?:to|for|of|into|in front of) <o>)?`,
    true,
  ),
  rule('gateway', `<s> ${BE} (?:an? |the )?(?:\\w+ )?${CHOKE}(?: (?:to|for|of|into|in front of) <o>)?`),
  rule('gateway', `<o> uses? <s> as (?:an? |the |its )?(?:\\w+ )?${CHOKE}`),
  rule(
    'gateway',
    `.+? (?:must )?(?:go(?:es)?|pass(?:es)?|runs?) (?:through|via) <s> before (?:reaching|hitting|getting to|it reaches|they reach) <o>`,
  ),
  rule(
    'gateway',
    `<o> (?:${AUXILIARY} )?(?:must |always |only )?(?:go(?:es)?|pass(?:es)?|routes?|runs?|${BE} (?:only )?(?:routed|reached|reachable|accessed)) (?:only )?(?:through|via) <s>`,
  ),

  rule('always_before', `<s> (?:never |${NOT} (?:always )?)${RUN} before <o>`, true),
  rule('always_before', `<s> (?:always )?${RUN} before <o> (?:is|are|gets?) \\w+ed`),
  rule('always_before', `<s> (?:always )?(?:${RUN} before|precedes?) <o>`),
  rule('always_before', `<o> (?:always )?(?:${RUN} after|follows) <s>`),

  rule(
    'isolated',
    `<s> ${BE} (?:not|never) (?:\\w+ )?(?:isolated|standalone|stand-alone|self-contained)(?: from <o>)?`,
    true,
  ),
  rule('isolated', `<s> ${BE} (?:\\w+ )?(?:isolated|standalone|stand-alone|self-contained)(?: (?:from <o>|\\w+))?`),
  rule('isolated', `<s> ${HAVE} no (?:\\w+ )?dependencies`),

  rule('never_calls', `<o> ${BE} (?:never|not) [\\p{L}-]+ (?:by|from) <s>`),
  rule('never_calls', `<s> never [\\p{L}-]+ <o>`),

  rule('depends_on', `<o> ${BE} (?:\\w+ )?(?:${participle}) (?:by|from|in) <s>`),
  rule(
    'depends_on',
    `<s> ${BE} (?:an? )?(?:user|dependent|consumer|caller|client|subclass|subtype|implementation) of <o>`,
  ),
  rule('depends_on', `<o> ${BE} (?:an? )?dependency of <s>`),
  rule('depends_on', `<s> ${BE} (?:\\w+ )?dependent (?:on|upon) <o>`),
  rule('depends_on', `<s> ${BE} (?:directly |currently |now )?(?:${GERUND}) <o>`),
  rule(
    'depends_on',
    `(?:removing|deleting|changing|a change (?:in|to|of)) <o> (?:${AUXILIARY} )?(?:affects?|breaks?|touch(?:es)?) <s>`,
  ),
  rule('depends_on', `(?:there ${BE} an? (?:\\w+ )?path|(?:you|one|we) can get) from <s> to <o>`),
  rule('depends_on', `<s> ${HAVE} (?:an? )?(?:\\w+ )?(?:dependency|dependence) (?:on|upon|to) <o>`),
  rule('depends_on', `<s> ${BE} (?:built|based) on <o>`),
  rule('depends_on', `<s> (?:${AUXILIARY} )?(?:${third(RELIES)}|${third(USES)}|${third(DERIVES)}) <o>`),
  rule('unknown', `<s> and <o> ${BE} (?:related|linked|connected)`),
]

/** `<s>` and `<o>` are the sides, a space stands for any white space. */
function rule(type: ClaimType, wording: string, negated = false): Rule {
  const named = (side: string) => `(?<${side}>.+?)(?<!(?:^|\\s)(?:the|an?|all|every|each|any|both|some))`
  const text = wording.replaceAll(' ', '\\s+').replaceAll('<s>', named('s')).replaceAll('<o>', named('o'))
  return { type, pattern: new RegExp(`^${text}$`, 'iu'), negated }
}

const OPENING =
  /^(?:(?:i|we) (?:think|believe|suspect|guess|claim|say) (?:that )?|it is true that |is it true that |that |whether |if |because )/i
/** A question for yes or no, whichever way it leans: `does`, `isn't`. */
const QUESTION = /^(?:does|do|did|can|could|will|would|should|must) (?:not )?(?=.*\?$)/i
const BE_QUESTION = /^(is|are|was|were) (?:not )?(?=.*\?$)/i
const LIST =
  /^(?:who|what|which|where|when|why|how)\b(?![\w./-]*\.\w)(?=.*(?:\?|\b(?:calls?|uses?|imports?|depends?)\b))/i
const WHENEVER = /^when(?:ever)? .+ changes?\b/i
/** `x, doesn't it?` */
const TAG =
  /,\s*(?:right|correct|(?:is|are|was|were|does|do|did|can|will|has|have)(?: not)? (?:it|they|he|she|not))\s*(?=\?|$)/i
/** Says how often or how surely; names with a dot, a slash or a dash are none of these. */
const ADVERB =
  /(?<![\w./-])(?:hardly ever|hardly|ever|also|still|really|often|sometimes|rarely|seldom|occasionally|usually|mostly|probably|simply|just|already|actually|at all) (?=\S)/gi
const IMPOSSIBLE = /^it is (?:impossible|not possible) for (.+?) to /i
const POSSIBLE = /^it is possible for (.+?) to /i
const RELIES_ONLY = /\b(depends?|rely|relies|builds?) (only|solely|exclusively) (on|upon)\b/i
/** Two claims in one: both sides of a sentence have to be one thing each. */
const SEVERAL = /^neither .+ nor |^either .+ or | nor | (?:and|or|but) (?:not )?|, /i
const ONLY =
  /^only .+|\bthe only\b|(?<![\w./-])(?:only|solely|exclusively|nothing (?:but|except|besides)|(?:nobody|no one|none) (?:but|except)|except(?: for)?|apart from|other than|and nothing else) (?=\S)|(?<=\s)(?:alone|and nothing else)$/i
/** Of dependence: one that has it says nothing of the others. */
const EACH = /(?<![\w./-])(?:every|each|all|most|many|both)(?: of)? (?=\S)/i

/** Short forms written out, outside of quotes. */
function writtenOut(text: string): string {
  return text
    .replace(/\bcan(?:'|’)t\b|\bcannot\b/gi, 'can not')
    .replace(/\bwon(?:'|’)t\b/gi, 'will not')
    .replace(/(?<=[a-z])n(?:'|’)t\b/gi, ' not')
    .replace(/\b(there|it|that)(?:'|’)s\b/gi, '$1 is')
}

/**
 * Reads a sentence. Names in quotes or backticks are taken whole; questions are read as what they ask for. What fits no
 * wording is `unknown`, between its first and its last word; what asks for a list, or claims several things, has a problem.
 */
export function parseClaim(sentence: string): Claim {
  const { text, restore } = withoutQuotes(sentence.trim())
  const asked = writtenOut(text)
    .replace(OPENING, '')
    .replace(TAG, '')
    .replace(/\bnever,? ever\b/i, 'never')
    .replace(ADVERB, '')
    .replace(IMPOSSIBLE, '$1 can not ')
    .replace(POSSIBLE, '$1 can ')
    .replace(RELIES_ONLY, '$2 $1 $3')
  const plain = asked.replace(QUESTION, '').replace(/[.!?;,\s]+$/u, '')
  const isDirect = /\b(?:directly|direct)\b/i.test(plain) && !/\b(?:indirectly|transitively)\b/i.test(plain)
  const none = { subject: '', object: '', negated: false, direct: false }
  if (LIST.test(plain) && !WHENEVER.test(plain)) return { ...none, type: 'unknown', problem: ASKS_FOR_LIST }
  for (const reading of readings(plain, BE_QUESTION.exec(asked)?.[1])) {
    const found = matching(reading)
    if (found === null) continue
    const { rule, s, o } = found
    const subject = restore(s)
    const object = restore(o)
    const problem = problemOf(reading, found)
    if (problem !== '') return { ...none, type: rule.type, subject, object, negated: rule.negated, problem }
    return {
      type: rule.type,
      subject,
      object: isPronoun(object) ? subject : object,
      negated: rule.negated,
      direct: isDirect,
      problem,
    }
  }
  const words = plain.split(/\s+/).filter((it) => !EMPTY_WORDS.has(it.toLowerCase()))
  const [first = '', ...rest] = words.length > 0 ? words : plain.split(/\s+/)
  return { ...none, type: 'unknown', subject: restore(first), object: restore(rest.at(-1) ?? ''), problem: '' }
}

const ASKS_FOR_LIST = 'This asks for a list and claims nothing: ask impact or why, or name both sides'
const SEVERAL_CLAIMS =
  'These are several claims in one: ask about one pair at a time, and put names with spaces in backticks'
const SAYS_ONLY =
  'That it is the only one was not tested: ask impact for all that use it, or with direction reverse for all that it relies on'
const SAYS_EACH = 'That each of them does was not tested: ask about one at a time, or impact for all that use it'

/** Why one pair cannot decide the sentence; '' when it can. */
function problemOf(plain: string, { rule, s, o }: { rule: Rule; s: string; o: string }): string {
  if (rule.type !== 'gateway' && rule.type !== 'always_before' && ONLY.test(plain)) return SAYS_ONLY
  if ((rule.type === 'depends_on' || rule.type === 'unknown') && EACH.test(plain)) return SAYS_EACH
  return SEVERAL.test(s) || SEVERAL.test(o) ? SEVERAL_CLAIMS : ''
}

/** The sentence; of a question that begins with `is` all sentences that it may ask about. */
function readings(plain: string, be: string | undefined): string[] {
  if (be === undefined) return [plain]
  const words = plain.split(/\s+/).slice(1)
  if (words[0]?.toLowerCase() === 'not') words.shift()
  if (words[0]?.toLowerCase() === 'there') return [`there ${be} ${words.slice(1).join(' ')}`]
  return words.slice(1).map((_, i) => [...words.slice(0, i + 1), be, ...words.slice(i + 1)].join(' '))
}

function matching(plain: string): { rule: Rule; s: string; o: string } | null {
  for (const rule of RULES) {
    const { s, o } = rule.pattern.exec(plain)?.groups ?? {}
    if (s === undefined) continue
    const found = { rule, s: side(s), o: o === undefined ? '' : side(o) }
    if (found.s !== '' && (o === undefined || found.o !== '')) return found
  }
  return null
}

const EMPTY_WORDS = new Set(
  'the a an all any every each this that these those is are was were be has have had do does did not no of in on at to for from with by and or as it its'.split(
    ' ',
  ),
)

/** Every name in quotes as one sign that no wording contains, and the way back. */
function withoutQuotes(sentence: string): { text: string; restore: (side: string) => string } {
  const names: string[] = []
  const whole = /^(["'`])([^"'`]*\s[^"'`]*)\1[.!?]?$/u.exec(sentence)
  const text = (whole?.[2] ?? sentence).replace(
    /`([^`]+)`|"([^"]+)"|(?<!\w)'([^']+)'(?!\w)/gu,
    (_, ...groups: string[]) => {
      names.push(groups.slice(0, 3).find((it) => it !== undefined) ?? '')
      return String.fromCodePoint(FIRST_SIGN + names.length - 1)
    },
  )
  const restore = (side: string) =>
    side.replace(/[\u{E000}-\u{F8FF}]/gu, (sign) => names[(sign.codePointAt(0) ?? 0) - FIRST_SIGN] ?? sign)
  return { text, restore }
}

/** The first of the code points that Unicode leaves to private use. */
const FIRST_SIGN = 0xe000

const LEADING =
  /^(?:the|an?|all|every|each|any|both|some|either|calls? (?:to|of|from)|access(?:es)? to|requests? (?:to|for|from)|traffic (?:to|of|from)|uses? of|code (?:in|of)|everything in|anything in) /i
const TRAILING =
  / (?:at (?:run ?time|run-time|startup|start-up|start|build time|compile time|import time|all|any point|once)|in (?:production|tests?|practice|any way)|during (?:startup|requests?|shutdown|ingest|tests?)|directly|indirectly|transitively|mutually|anywhere|anymore|any more|always|ever|never|also|still|only|really|currently|internally|together|of each other|does|do|is|are|can|may|will|should|must|would|could)$/i

/** A side without articles before it and remarks after it. */
function side(text: string): string {
  let bare = text.trim().replace(/[,;:]+$/u, '')
  for (let before = ''; before !== bare; ) {
    before = bare
    bare = bare.replace(TRAILING, '').replace(LEADING, '').trim()
  }
  return bare
}

function isPronoun(side: string): boolean {
  return /^(?:itself|themselves)$/i.test(side)
}
