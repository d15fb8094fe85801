import type { TestProjectInlineConfiguration } from 'vitest/config'
import { patience } from './browser-suite.ts'

/** Tests that drive a browser themselves, and tests of the package as published, as a project of vitest. */
export function e2eSuite(
  name: string,
  include: string[],
  exclude: readonly string[] = [],
): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      include,
      exclude: [...exclude],
      setupFiles: ['test/support/leaves-nothing-behind.ts'],
      globalSetup: ['test/support/build-package.ts', 'test/support/run-folder.ts'],
      sequence: { groupOrder: 2 },
      // Browsers at once, more than there are cores: now and then each test waits for its pages.
      maxWorkers: 3,
      pool: 'forks',
      isolate: true,
      // Devices of tests connect to sync servers.
      execArgv: ['--experimental-websocket'],
      expect: { poll: { timeout: patience } },
      // When a test counts as hung, on a machine however busy.
      testTimeout: 180_000,
      hookTimeout: 300_000,
    },
  }
}
