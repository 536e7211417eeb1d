/** Bash and other Bourne shells. */

import type { Syntax } from '#ingest/expression'
import type { Match } from '#ingest/parse'
import { cut, type FactsBuilder, firstSentence, type Language, type Source } from '#ingest/source'

const syntax: Syntax = { lineComment: '#', generics: '<', transparent: new Set() }

const QUERY = `
(function_definition name: (word) @name body: (_) @body) @fn
(command name: (command_name) @name) @command
(comment) @comment
(string) @string
(raw_string) @string
(heredoc_body) @string
(ERROR) @error
`

export const bash: Language = {
  name: 'bash',
  extensions: ['sh', 'bash', 'zsh', 'ksh', 'bats'],
  fileNames: ['.bashrc', '.bash_profile', '.profile', '.zshrc'],
  interpreters: ['bash', 'sh', 'zsh', 'dash', 'ksh'],
  grammar: 'bash',
  query: QUERY,
  syntax,
  read,
}

const BUILTINS = new Set(
  'alias bg break builtin cd command continue declare dirs disown echo enable exec exit export false fg getopts hash help jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt test times true type typeset ulimit umask unalias unset wait :'.split(
    ' ',
  ),
)

function read(source: Source, matches: readonly Match[], facts: FactsBuilder): void {
  facts.facts.tags.push('bash')
  if (/(?:^|\/)tests?\/|\.bats$/.test(source.path)) facts.facts.tags.push('test')
  if (source.text.startsWith('#!')) facts.facts.tags.push('entrypoint')
  for (const match of matches) {
    const name = source.part(match, 'name')
    if (name === undefined) continue
    const scope = facts.scopeAt(match.start)
    if (match.kind === 'fn') {
      const comment = facts.commentBefore(match.start)
      facts.define(
        {
          name: source.slice(name),
          kind: 'fn',
          exported: true,
          excerpt:
            comment === ''
              ? cut(source.text.slice(match.start, source.part(match, 'body')?.start ?? match.end))
              : firstSentence(comment),
        },
        { start: match.start, end: match.end, nameStart: name.start },
      )
      continue
    }
    const word = source.slice(name).replace(/["']/g, '')
    const rest = source.text.slice(name.end, match.end)
    if (word === 'source' || word === '.') {
      // a folder that a variable names is left out; what follows it is looked for beside the file
      const path = /^\s*(["']?)(?:(?:\$\{?[\w@[\]]+\}?|\$\([^)]*\)|`[^`]*`)["']?\/)?([\w./-]+)\1/.exec(rest)
      if (path === null || /\$/.test(path[2])) facts.dynamic(match.line, source.slice(match))
      else
        facts.import({
          kind: 'include',
          module: /\$|`/.test(rest) ? `./${path[2]}` : path[2],
          name: '',
          alias: '',
          scope: -1,
          line: match.line,
        })
    } else if (word === 'eval') facts.dynamic(match.line, source.slice(match))
    else if (word === 'trap') facts.reference(scope, 'calls', /^\s*([A-Za-z_]\w*)\s/.exec(rest)?.[1] ?? '', match.line)
    else if (/^[\w.:-]+$/.test(word)) {
      if (!BUILTINS.has(word)) facts.reference(scope, 'calls', word, match.line)
    } else if (/^(?:\$\{?\w+\}?\/|\.\/)?[\w./-]+\.sh$/.test(word))
      facts.import({
        kind: 'include',
        module: word.replace(/^\$\{?\w+\}?\//, './'),
        name: '',
        alias: '',
        scope,
        line: match.line,
      })
  }
}
