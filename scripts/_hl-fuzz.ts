import { extract } from '#ingest/extract'
import { parserFailure } from '#ingest/parse'
import { LANGUAGES } from '#ingest/languages'
const lang = process.argv[2], seed0 = +process.argv[3], count = +process.argv[4]
const l = LANGUAGES.find((x) => x.name === lang)!
const toks = 'a b < > ( ) [ ] { } , ; : . ? ! & | = => -> :: + - * / @ # $ " \' ` if else for class fn def function return new await case match async let const var struct import type extends where in as is 1 \n \t'.split(' ')
let r = seed0 * 7919 + 1
const rnd = (n: number) => ((r = (Math.imul(r, 1103515245) + 12345) >>> 0), r % n)
let worst = [0, '']
for (let i = 0; i < count; i++) {
  const k = 1 + rnd(5)
  let piece = ''
  for (let j = 0; j < k; j++) piece += toks[rnd(toks.length)] + (rnd(2) ? ' ' : '')
  const opens = (piece.match(/[([{]/g) ?? []).length - (piece.match(/[)\]}]/g) ?? []).length
  if (opens > 0) continue
  const text = piece.repeat(Math.ceil(60_000 / piece.length))
  const s = performance.now()
  const f = await extract('shop.' + l.extensions[0], (lang === 'php' ? '<?php\n' : '') + text)
  const d = performance.now() - s
  if (d > worst[0]) worst = [d | 0, JSON.stringify(piece) + ' ' + (f.problems[0]?.message ?? '')]
  if (parserFailure()) { console.log(lang, JSON.stringify(piece), parserFailure()); break }
}
console.log(lang, 'worst', worst)
