import { describe, expect, test } from 'vitest'
import { type ClaimType, parseClaim } from '#analysis/claim'

/** Sentences with what they claim: `kind: subject / object`, with `not` where they deny it. */
const SENTENCES: Record<string, string> = {
  'handler never validates session tokens': 'never_calls: handler / session tokens',
  'Session tokens are never read by the handler': 'never_calls: handler / Session tokens',
  'src/a.ts does not import src/b.ts.': 'never_calls: src/a.ts / src/b.ts',
  'the router has no connection to the database': 'never_calls: router / database',
  'nothing in api touches db': 'never_calls: api / db',
  'no handler calls db': 'never_calls: handler / db',
  'nothing uses db': 'unknown: db / ',
  'payment is not called by cart': 'never_calls: cart / payment',
  'payment is independent of cart': 'no_dependency: payment / cart',
  'core has no dependency on utils': 'no_dependency: core / utils',
  'core does not depend on utils anymore': 'no_dependency: core / utils',
  'payment is decoupled from cart': 'no_dependency: payment / cart',
  'payment and cart are unrelated': 'no_dependency: payment / cart',
  'a.ts and b.ts have a circular dependency': 'circular: a.ts / b.ts',
  'there is a cycle between a.ts and b.ts': 'circular: a.ts / b.ts',
  'There is no cycle between a.ts and b.ts': 'not circular: a.ts / b.ts',
  'a.ts is part of an import cycle': 'circular: a.ts / ',
  'a.ts has a circular dependency with b.ts': 'circular: a.ts / b.ts',
  'cart and price are tightly coupled': 'coupling: cart / price',
  'cart is coupled to price': 'coupling: cart / price',
  'cart and price are not coupled': 'not coupling: cart / price',
  'routes and handlers co-change': 'coupling: routes / handlers',
  'routes and handlers usually change together': 'coupling: routes / handlers',
  'log.ts is a bottleneck': 'gateway: log.ts / ',
  'X uses Y as a gateway': 'gateway: Y / X',
  'All requests go through the router': 'gateway: router / requests',
  'every call to db goes through repository': 'gateway: repository / db',
  'repository is the gateway to db': 'gateway: repository / db',
  'auth always runs before session': 'always_before: auth / session',
  'checkout is always called before payment': 'always_before: checkout / payment',
  'payment runs after checkout': 'always_before: checkout / payment',
  'auth precedes session': 'always_before: auth / session',
  'auth never runs before session': 'not always_before: auth / session',
  'utils is isolated': 'isolated: utils / ',
  'utils is isolated from core': 'isolated: utils / core',
  'core has no dependencies': 'isolated: core / ',
  'price.ts is self-contained': 'isolated: price.ts / ',
  'worker depends on messaging at runtime': 'depends_on: worker / messaging',
  'Does `the worker` use messaging?': 'depends_on: the worker / messaging',
  '"the worker relies on messaging"': 'depends_on: worker / messaging',
  'messaging is used by worker': 'depends_on: worker / messaging',
  'Circle implements Shape': 'depends_on: Circle / Shape',
  'I think that the worker requires messaging!': 'depends_on: worker / messaging',
  'Does app.py ever call db?': 'depends_on: app.py / db',
  'Is db called by app?': 'depends_on: app / db',
  'Is app.py ever used by cli.py?': 'depends_on: cli.py / app.py',
  'Are utils used by core?': 'depends_on: core / utils',
  "isn't app.py calling db.py?": 'depends_on: app.py / db.py',
  'Is there a cycle between a.ts and b.ts?': 'circular: a.ts / b.ts',
  'Are cart and price coupled?': 'coupling: cart / price',
  "app/db.py imports app/models.py, doesn't it?": 'depends_on: app/db.py / app/models.py',
  "app.py doesn't ever call db.py": 'never_calls: app.py / db.py',
  'app.py never, ever calls db.py': 'never_calls: app.py / db.py',
  'It is impossible for app.py to call db.py': 'never_calls: app.py / db.py',
  "app.py isn't used by db.py": 'never_calls: db.py / app.py',
  "app.py can't reach db.py": 'never_calls: app.py / db.py',
  'app.py is not importing db.py': 'never_calls: app.py / db.py',
  'app.py knows nothing about db.py': 'never_calls: app.py / db.py',
  "there's no path from app.py to db.py": 'never_calls: app.py / db.py',
  'App does not extend Base': 'never_calls: App / Base',
  "app.py isn't dependent on db.py": 'no_dependency: app.py / db.py',
  'App has nothing to do with Base': 'no_dependency: App / Base',
  'App works without Base': 'no_dependency: App / Base',
  'removing Base would not affect App': 'no_dependency: App / Base',
  "App can't work without Base": 'depends_on: App / Base',
  'changing app.py breaks db.py': 'depends_on: db.py / app.py',
  'app.py is dependent on db.py': 'depends_on: app.py / db.py',
  'app.py is using db.py directly': 'depends_on: app.py / db.py',
  'db.py gets called by app.py': 'depends_on: app.py / db.py',
  'app.py rarely uses db.py': 'depends_on: app.py / db.py',
  'there is a path from app.py to db.py': 'depends_on: app.py / db.py',
  'app.py writes to db.py': 'depends_on: app.py / db.py',
  'app.py and db.py are mutually dependent': 'circular: app.py / db.py',
  "app.py and db.py aren't coupled": 'not coupling: app.py / db.py',
  'when app.py changes, db.py changes too': 'coupling: app.py / db.py',
  'app.py changes whenever db.py changes': 'coupling: app.py / db.py',
  'app.py usually changes along with db.py': 'coupling: app.py / db.py',
  "app.py isn't a bottleneck": 'not gateway: app.py / ',
  'all traffic to db goes via app': 'gateway: app / db',
  'every request passes through middleware before reaching the handler': 'gateway: middleware / handler',
  'the login function is called before the session is created': 'always_before: login function / session',
  'db.py is initialized before app.py': 'always_before: db.py / app.py',
  'the calls module imports uses.py': 'depends_on: calls module / uses.py',
  'uses.py calls imports.py': 'depends_on: uses.py / imports.py',
  'never.py imports always.py': 'depends_on: never.py / always.py',
  'isolated.py depends on bottleneck.ts': 'depends_on: isolated.py / bottleneck.ts',
  'gateway.ts never calls isolated.ts': 'never_calls: gateway.ts / isolated.ts',
  'ever.py imports only.py': 'depends_on: ever.py / only.py',
  'App and Base are connected': 'unknown: App / Base',
  'the sky is blue': 'unknown: sky / blue',
}

describe('a claim', () => {
  test.each(Object.entries(SENTENCES))('%s', (sentence, expected) => {
    const { type, subject, object, negated } = parseClaim(sentence)
    expect(`${negated ? 'not ' : ''}${type}: ${subject} / ${object}`).toBe(expected)
  })

  test('that holds only for a single step says so', () => {
    expect(parseClaim('a.ts calls b.ts directly').direct).toBe(true)
    expect(parseClaim('a.ts directly calls b.ts')).toMatchObject({ direct: true, subject: 'a.ts', object: 'b.ts' })
    expect(parseClaim('a.ts calls b.ts indirectly').direct).toBe(false)
  })

  test('about a thing and itself has that thing on both sides', () => {
    expect(parseClaim('a.ts depends on itself')).toMatchObject({ subject: 'a.ts', object: 'a.ts' })
  })

  test('names in quotes may contain any words', () => {
    expect(parseClaim('"a depends on b" never calls `c uses d`')).toMatchObject({
      type: 'never_calls',
      subject: 'a depends on b',
      object: 'c uses d',
    })
  })

  test('means the same in every case, and with space around it', () => {
    for (const sentence of Object.keys(SENTENCES)) {
      const { type } = parseClaim(sentence)
      expect<ClaimType>(parseClaim(`  ${sentence.toUpperCase()} `).type).toBe(type)
    }
  })

  test.each([
    'Who calls db?',
    'Which files import db.py?',
    'what depends on core?',
    'app.py calls db.py and cache.py',
    'neither app.py nor cli.py calls db.py',
    'app.py depends on neither db.py nor cache.py',
    'only app depends on db',
  ])('that is none, or more than one, says so: %s', (sentence) => {
    expect(parseClaim(sentence).problem).not.toBe('')
  })

  test.each([
    ['only app depends on db', 'the only one'],
    ['app only depends on db', 'the only one'],
    ['app depends only on db', 'the only one'],
    ['app exclusively uses db', 'the only one'],
    ['nothing except app imports db', 'the only one'],
    ['db is used by app alone', 'the only one'],
    ['app relies on db and nothing else', 'the only one'],
    ['every handler calls audit', 'each of them'],
    ['Do all handlers use the pool?', 'each of them'],
    ['most middleware depend on context', 'each of them'],
    ['app uses each of the plugins', 'each of them'],
    // these claim it of all without looking at all, or of one
    ['db can only be reached through app', ''],
    ['no handler ever calls db', ''],
    ['only.py calls all.py', ''],
    ['any handler calls db', ''],
  ])('of more than a pair can show says so: %s', (sentence, problem) => {
    const told = parseClaim(sentence).problem
    if (problem === '') expect(told).toBe('')
    else expect(told).toContain(problem)
  })

  test('of one word, or none, has no second side', () => {
    expect(parseClaim('foo')).toMatchObject({ type: 'unknown', subject: 'foo', object: '' })
    expect(parseClaim('?')).toMatchObject({ type: 'unknown', object: '', problem: '' })
  })
})
