/** Rewrites forms of TypeScript that its grammar misreads, keeping length and line breaks. */

/** Three forms of the language that its grammar does not know, written in ways that it does. */
export function prepare(text: string): string {
  let plain = endSignatures(text)
  if (/^\s*export\s+type\s*\*/m.test(plain)) plain = plain.replace(/^(\s*export\s+)type(\s*\*)/gm, '$1    $2')
  if (/(?:[<,]|\*\/)\s*(?:in|out)\s/.test(plain)) {
    plain = plain.replace(
      /((?:[<,]|\*\/)\s*)(in|out|in out)(?=\s+[A-Z$_][\w$]*\s*(?:=(?!=)|,|>|extends\b))/g,
      (_, open: string, word: string) => open + ' '.repeat(word.length),
    )
  }
  return plain
}

/**
 * Ends a member of an interface in front of a generic call signature on the next line. The language reads no
 * type arguments across a line break there, but the grammar does, and then loses the whole declaration.
 */
function endSignatures(text: string): string {
  if (!text.includes('interface') && !text.includes('type')) return text
  const pattern = /\n([ \t]+)<(?=\s*(?:const\s+)?[\p{L}_$][\p{L}\p{N}_$]*\s*(?:extends\b|[,=>]))/gu
  let result = ''
  let from = 0
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    let at = found.index
    for (;;) {
      while (at > 0 && /\s/.test(text[at - 1])) at--
      const lineStart = text.lastIndexOf('\n', at - 1) + 1
      const comment = /(?:^|\s)\/\//.exec(text.slice(lineStart, at))
      if (comment !== null) at = lineStart + comment.index
      else if (text.endsWith('*/', at) || text.slice(at - 2, at) === '*/') at = Math.max(0, text.lastIndexOf('/*', at))
      else break
    }
    if (at === 0 || !/[\p{L}\p{N}_$\])}>"'`]/u.test(text[at - 1])) continue
    result += `${text.slice(from, found.index + 1)};`
    from = found.index + 2
  }
  return from === 0 ? text : result + text.slice(from)
}
