/**
 * Words that mean the same in code. A word belongs to one group only, so that expansion never chains from one
 * meaning to the next. Matching is on whole parts of identifiers: `fn` does not hit `config`.
 */

/** Words of engineering and of supply chains, in Portuguese and English, and of programming languages. */
const GENERAL = [
  'plastico polimero resina',
  'metal liga aco aluminio',
  'vidro ceramica cristal',
  'processo etapa fase',
  'material materia_prima insumo',
  'custo preco valor',
  'fornecedor supplier vendor',
  'qualidade quality qa',
  'teste test ensaio',
  'norma regulamento padrão',
  'function fn method func',
  'class struct type',
  'module package crate',
  'import use require',
  'error exception panic',
] as const

/** Words that programmers exchange for one another. Very common verbs (`get`, `set`, `run`) are left out: they hit everything. */
const CODE = [
  'auth authentication authenticate login signin',
  'logout signout',
  'permission authorization acl',
  'delete remove erase',
  'create generate',
  'update modify edit',
  'fetch retrieve download',
  'search find lookup',
  'config configuration settings preferences',
  'database db datastore',
  'message msg',
  'request req',
  'response reply',
  'utils util utility helper helpers',
  'init initialize initialise setup bootstrap',
  'parameter param argument arg args',
  'directory dir folder',
  'repository repo',
  'user account',
  'cache memoize',
  'log logger logging',
  'parse parser parsing',
  'validate validation validator verify',
  'send emit publish dispatch',
  'receive consume subscribe',
  'callback listener',
  'serialize encode marshal stringify',
  'deserialize decode unmarshal',
  'payment billing',
  'encrypt cipher',
  'hash digest checksum',
  'start launch begin',
  'stop halt shutdown terminate',
  'mock stub fake',
  'retry backoff',
  'timeout deadline',
  'throttle ratelimit quota',
  'route endpoint',
  'render draw paint',
  'copy clone duplicate',
  'merge combine',
  'price amount',
  'cart basket',
  'image picture photo',
  'schedule cron',
] as const

export const SYNONYM_GROUPS: readonly (readonly string[])[] = [...GENERAL, ...CODE].map((group) => group.split(' '))

const groupOf = new Map<string, readonly string[]>()
for (const group of SYNONYM_GROUPS) for (const word of group) groupOf.set(word, group)

/** The other words of a word's group (lower case), none when it has no group. */
export function synonymsOf(word: string): string[] {
  return (groupOf.get(word) ?? []).filter((it) => it !== word)
}
