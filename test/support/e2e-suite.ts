import type { TestProjectInlineConfiguration } from 'vitest/config'
import { patience } from './browser-suite.ts'

/** Tests that drive a browser themselves, and tests of the package as published, as a project of vitest. */
export function e2eSuite(name: string, include: string[], exclude: readonly string[] = []): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      include,
      exclude: [...exclude],
      globalSetup: ['test/support/build-package.ts', 'test/support/run-folder.ts'],
      sequence: { groupOrder: 2 },
      // Browsers at once, more than there are cores: now and then each test waits for its pages.
      maxWorkers: 3,
      pool: 'forks',
      isolate: true,
      expect: { poll: { timeout: patience } },
      testTimeout: 60_000,
      hookTimeout: 60_000,
    },
  }
}
