import { writeSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/**
 * Ends the output of a run with `N passed, N failed, N skipped`.
 *
 * What fails outside a test counts as failed too: a file that can't be imported, a broken `beforeAll`, an unhandled
 * rejection, a run that breaks off. So `0 failed` means that everything ran and passed.
 */
export function closingLine(): Reporter {
  let line = '0 passed, 1 failed, 0 skipped'
  return {
    onInit() {
      // The last line, whatever else still reports: nothing writes after `exit`.
      process.once('exit', () => writeSync(1, `${line}\n`))
    },
    onTestRunEnd(modules, unhandledErrors, reason) {
      let passed = 0
      let failed = unhandledErrors.length
      let skipped = 0
      for (const module of modules) {
        failed += failuresOutsideTests(module)
        for (const test of module.children.allTests()) {
          const { state } = test.result()
          if (state === 'passed') passed++
          else if (state === 'skipped') skipped++
          else failed++
        }
      }
      if (reason !== 'passed') failed ||= 1
      line = `${passed} passed, ${failed} failed, ${skipped} skipped`
    },
  }
}

function failuresOutsideTests(module: TestModule): number {
  return [module, ...module.children.allSuites()].filter((suite) => suite.errors().length > 0).length
}
