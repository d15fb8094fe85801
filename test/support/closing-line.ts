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
  // A reader of the end of a long output needs the names of what failed, not only their number.
  let broken: string[] = []
  return {
    onInit() {
      // The last line, whatever else still reports: nothing writes after `exit`.
      process.once('exit', () => writeSync(1, [...broken.map((name) => `failed: ${name}`), line, ''].join('\n')))
    },
    onTestRunEnd(modules, unhandledErrors, reason) {
      let passed = 0
      let failed = unhandledErrors.length
      let skipped = 0
      broken = unhandledErrors.map(({ name, message }) => `nobody handled it: ${name}: ${message.split('\n')[0]}`)
      for (const module of modules) {
        const outside = failuresOutsideTests(module)
        if (outside > 0) broken.push(`${module.relativeModuleId}, outside of its tests`)
        failed += outside
        for (const test of module.children.allTests()) {
          const { state } = test.result()
          if (state === 'passed') passed++
          else if (state === 'skipped') skipped++
          else {
            failed++
            broken.push(`${module.relativeModuleId} > ${test.fullName}`)
          }
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
