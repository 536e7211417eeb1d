/** Whether a text is well-formed XML, as far as a reader of manifests must know: tags, comments, sections. */

const PIECE =
  /<!--[\s\S]*?(-->|$)|<!\[CDATA\[[\s\S]*?(\]\]>|$)|<[?!][^>]*(>|$)|<(\/?)([^\s<>/="']+)((?:"[^"]*"|'[^']*'|[^<>"'])*)(>?)|</g

/** What keeps a text from being XML, and in which line; undefined when nothing does. Linear in the text. */
export function xmlFault(text: string): { line: number; message: string } | undefined {
  const open: { name: string; at: number }[] = []
  const fault = (at: number, message: string) => ({ line: text.slice(0, at).split('\n').length, message })
  let roots = 0
  for (const piece of text.matchAll(PIECE)) {
    const [whole, comment, section, declaration, slash, name, attributes, end] = piece
    if (comment === '' || section === '' || declaration === '')
      return fault(piece.index, 'a comment or section does not end')
    if (name === undefined) {
      if (whole === '<') return fault(piece.index, 'a < that begins no tag')
      continue
    }
    if (end === '') return fault(piece.index, `the tag <${slash}${name}> does not end`)
    if (slash === '/') {
      const last = open.pop()
      if (last?.name !== name)
        return fault(
          piece.index,
          last === undefined ? `</${name}> closes nothing` : `</${name}> stands where </${last.name}> should`,
        )
    } else {
      if (open.length === 0 && ++roots > 1) return fault(piece.index, 'there is more than one root')
      if (!attributes.endsWith('/')) open.push({ name, at: piece.index })
    }
  }
  const last = open.at(-1)
  if (last !== undefined) return fault(last.at, `<${last.name}> is not closed`)
  return roots === 0 ? { line: 1, message: 'there is no element' } : undefined
}
