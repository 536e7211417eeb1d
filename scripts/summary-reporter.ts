/** Ends a test run with one line that any program can read: `N passed, N failed`. */

import type { Reporter, TestModule } from 'vitest/node'

export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0
    let failed = errors.length
    for (const it of modules) {
      const failedBefore = failed
      for (const test of it.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') passed++
        if (state === 'failed') failed++
      }
      // a file that does not load, or a suite without tests, fails although none of its tests does
      if (it.state() === 'failed' && failed === failedBefore) failed++
    }
    // after the other reporters
    process.on('exit', () => process.stdout.write(`${passed} passed, ${failed} failed\n`))
  }
}
