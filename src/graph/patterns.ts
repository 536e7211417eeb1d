/**
 * The patterns that `scan` knows: how grave they are, the rules that say where one holds, and the words that
 * tell of them or of their remedy in names.
 */

export interface Pattern {
  id: string
  /** 0..1, of a confirmed finding. */
  severity: number
  /** Parts of names that speak of it. */
  keywords: readonly string[]
  /** Parts of names that speak of its remedy. */
  remedies: readonly string[]
  /** Whether a test that reaches the place answers the finding. */
  testsAnswer: boolean
}

export const PATTERNS: readonly Pattern[] = [
  {
    id: 'error_handling',
    severity: 0.6,
    keywords: ['error', 'exception', 'panic', 'unwrap', 'expect', 'catch', 'raise', 'throw'],
    remedies: ['test_error', 'error_test', 'mock_error'],
    testsAnswer: false,
  },
  {
    id: 'resource_cleanup',
    severity: 0.5,
    keywords: ['open', 'connect', 'acquire', 'lock', 'socket', 'file_handle', 'cursor', 'session'],
    remedies: ['close', 'release', 'cleanup', 'dispose', 'drop', '__exit__'],
    testsAnswer: false,
  },
  {
    id: 'api_surface',
    severity: 0.4,
    keywords: ['route', 'endpoint', 'handler', 'api', 'router', 'view', 'controller'],
    remedies: [],
    testsAnswer: true,
  },
  {
    id: 'state_mutation',
    severity: 0.5,
    keywords: ['set_', 'update_', 'mutate', 'write', 'delete', 'remove', 'insert', 'push', 'pop', 'modify'],
    remedies: ['get_', 'read_', 'fetch_', 'list_'],
    testsAnswer: false,
  },
  {
    id: 'concurrency',
    severity: 0.7,
    keywords: ['async', 'await', 'thread', 'lock', 'mutex', 'semaphore', 'atomic', 'spawn', 'pool', 'queue'],
    remedies: ['test_async', 'mock_thread'],
    testsAnswer: false,
  },
  {
    id: 'auth_boundary',
    severity: 0.8,
    keywords: ['auth', 'login', 'token', 'session', 'permission', 'credential', 'password', 'secret', 'jwt', 'oauth'],
    remedies: ['test_auth', 'mock_auth'],
    testsAnswer: false,
  },
  {
    id: 'test_coverage',
    severity: 0.3,
    keywords: ['test_', 'spec_', '_test', '_spec', 'assert', 'expect', 'should'],
    remedies: [],
    testsAnswer: true,
  },
  {
    id: 'dependency_injection',
    severity: 0.4,
    keywords: ['inject', 'provider', 'factory', 'registry', 'container', 'config', 'settings', 'env'],
    remedies: [],
    testsAnswer: false,
  },
]

/** Languages whose syntax the rules read. */
export const RULED_LANGUAGES: ReadonlySet<string> = new Set(
  'python typescript tsx javascript go java csharp kotlin scala swift php ruby c cpp rust'.split(' '),
)

/** One kind of place, found by reading one file. */
export interface Rule {
  pattern: string
  message: string
}

export const RULES = {
  swallowed_error: { pattern: 'error_handling', message: 'An error is caught and nothing is done about it.' },
  caught_too_much: { pattern: 'error_handling', message: 'Every kind of error is caught, and none is passed on.' },
  ignored_error: { pattern: 'error_handling', message: 'An error that is returned is thrown away.' },
  aborts_on_error: { pattern: 'error_handling', message: 'An error ends the program or thread here.' },
  not_closed: { pattern: 'resource_cleanup', message: 'What is opened here is not closed on every way out.' },
  not_unlocked: { pattern: 'resource_cleanup', message: 'What is locked here is not unlocked in this function.' },
  never_stopped: {
    pattern: 'resource_cleanup',
    message: 'What is started here can never be stopped: its handle is lost.',
  },
  endpoint: { pattern: 'api_surface', message: 'Reachable from outside.' },
  guarded_endpoint: { pattern: 'api_surface', message: 'Reachable from outside, behind a check.' },
  global_write: { pattern: 'state_mutation', message: 'State that all callers share is changed here.' },
  shared_default: { pattern: 'state_mutation', message: 'A default value that all calls share can be changed.' },
  dropped_task: { pattern: 'concurrency', message: 'What is started here is not waited for, and its failure is lost.' },
  blocks_event_loop: { pattern: 'concurrency', message: 'A blocking call within an asynchronous function.' },
  unawaited: { pattern: 'concurrency', message: 'An asynchronous function is called, and its result is not awaited.' },
  unowned_thread: { pattern: 'concurrency', message: 'Nothing here can wait for or end what is started.' },
  secret_literal: { pattern: 'auth_boundary', message: 'A secret is written into the code.' },
  check_disabled: {
    pattern: 'auth_boundary',
    message: 'A check of certificates, signatures or origin is switched off.',
  },
  open_to_all: { pattern: 'auth_boundary', message: 'Access is granted without a check.' },
  unguarded_endpoint: { pattern: 'auth_boundary', message: 'Others like it stand behind a check, this one does not.' },
  untested: { pattern: 'test_coverage', message: 'No test reaches it.' },
  skipped_test: { pattern: 'test_coverage', message: 'A test that does not run.' },
  lone_test: { pattern: 'test_coverage', message: 'While this test is singled out, no other runs.' },
  no_assertion: { pattern: 'test_coverage', message: 'A test that asserts nothing.' },
  environment_read: {
    pattern: 'dependency_injection',
    message: 'The environment is read here instead of being handed in.',
  },
  service_locator: {
    pattern: 'dependency_injection',
    message: 'What is needed is fetched by name instead of handed in.',
  },
  singleton: {
    pattern: 'dependency_injection',
    message: 'The one instance of a class is fetched instead of handed in.',
  },
} as const satisfies Record<string, Rule>

export type RuleName = keyof typeof RULES

const byName = new Map<string, Rule>(Object.entries(RULES))

export function ruleNamed(name: string): Rule | undefined {
  return byName.get(name)
}

/** A place at which a rule holds. */
export interface PatternSite {
  rule: string
  path: string
  line: number
  /** The line of code. */
  text: string
  /** What stands beside it that answers the finding, '' when nothing does. */
  remedy: string
}
