/** Tests that do not run, run alone, or assert nothing. */

import { ROOT_TAG } from '#graph/roots'
import type { Sightings } from '#ingest/patterns/sightings'

const TEST_TAGS = new Set([`${ROOT_TAG}test_runner`, 'test'])
const SKIPPED =
  'skip todo fixme xit xdescribe xtest xcontext Skip Skipf SkipNow skipTest XCTSkip pending markTestSkipped'.split(' ')
const SKIPPED_CALL =
  /^(?:it|test|describe|context|suite|specify)\.(?:skip|todo|fixme)$|^(?:xit|xdescribe|xtest|xcontext)$|^(?:t|b|s\.T\(\))\.(?:Skip|Skipf|SkipNow)$|^(?:pytest\.skip|self\.skipTest)$|^(?:XCTSkip|pending|skip|(?:\$?this\.)?markTestSkipped)$/
const LONE = ['only', 'fit', 'fdescribe', 'fcontext', 'ftest']
const LONE_CALL = /^(?:it|test|describe|context|suite)\.only$|^f(?:it|describe|context|test)$/
const SKIPPED_HEAD =
  /@(?:pytest\.mark\.skip|unittest\.skip|skip)\b|@(?:Disabled|Ignore)\b|#\[ignore\b|\[(?:Ignore|Fact\(Skip|Theory\(Skip)/
const SKIPPED_IF =
  /@(?:pytest\.mark\.skipif|unittest\.skipIf|unittest\.skipUnless|skipIf\w*|skipUnless\w*|EnabledOn\w*|EnabledIf\w*|DisabledOn\w*|DisabledIf\w*)/
/** What it is named `test…` for is the test that asks for it. */
const FIXTURE = /@(?:pytest(?:_asyncio)?\.)?fixture\b/
/** Names of calls that check something, or may do so. */
const ASSERTS =
  /assert|expect|should|verif|check|raises|fail|require|ensure|snapshot|throw|panic|error|fatal|must|test|validat|compar|equal|match|run|warns|benchmark|deprecated|round_?trip|helper/i

export function findTests(sightings: Sightings): void {
  const { facts } = sightings
  const isTestFile = facts.tags.includes('test')
  const hasTests = isTestFile || facts.definitions.some((it) => it.tags.some((tag) => TEST_TAGS.has(tag)))
  if (!hasTests && !/\.(?:test|spec)\./.test(sightings.source.path)) return
  for (const { reference, at } of sightings.calls(SKIPPED, SKIPPED_CALL)) {
    if (at < 0) continue
    // a skip under a condition asks for what the machine has
    const isConditional =
      /Skip|skip$|skipTest|pending|markTest/.test(reference.path) &&
      !/^(?:it|test|describe|context|suite)\./.test(reference.path) &&
      isUnderCondition(sightings, reference.line)
    sightings.add('skipped_test', reference.line, isConditional ? 'only where something is missing' : '')
  }
  for (const { reference } of sightings.calls(LONE, LONE_CALL)) sightings.add('lone_test', reference.line)
  const checking = functionsThatCheck(sightings)
  facts.definitions.forEach((it, d) => {
    const isTest = it.kind === 'fn' && it.tags.some((tag) => TEST_TAGS.has(tag))
    if (!isTest && it.kind !== 'class') return
    const text = sightings.textOf(d)
    const head = text.slice(0, Math.max(0, text.indexOf(it.name)))
    if (SKIPPED_IF.test(head)) sightings.add('skipped_test', it.line, 'only where something is missing')
    else if (SKIPPED_HEAD.test(head)) sightings.add('skipped_test', it.line)
    if (!isTest || !isTestFile || checking.has(d) || FIXTURE.test(head) || !/^_?test|^Test|_test$/.test(it.name)) return
    const body = text.slice(text.indexOf(it.name) + it.name.length)
    if (!/\b(?:assert|raise|throw|panic|with)\b/.test(body) && it.endLine - it.line > 2)
      sightings.add('no_assertion', it.nameLine)
  })
}

function isUnderCondition(sightings: Sightings, line: number): boolean {
  for (let above = line; above > Math.max(0, line - 3); above--) {
    const text = sightings.lineText(above)
    if (/^(?:\}?\s*else\s+)?(?:if|unless|except|catch|case|switch)\b|\bif\s*[({]|\bunless\b/.test(text)) return true
  }
  return false
}

/** Functions that call what may check something, themselves or in a function inside of them. */
function functionsThatCheck(sightings: Sightings): Set<number> {
  const checking = new Set<number>()
  const names = [...sightings.calledNames].filter((it) => ASSERTS.test(it))
  for (const { reference } of sightings.calls(names))
    for (let d = reference.from; d >= 0; d = sightings.facts.definitions[d].parent) checking.add(d)
  return checking
}
