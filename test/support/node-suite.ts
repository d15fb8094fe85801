import { availableParallelism } from 'node:os'
import type { TestProjectInlineConfiguration } from 'vitest/config'
import { workerSources } from '../../build/worker-sources.ts'
import { patience } from './browser-suite.ts'

/** Tests that need no browser, all or some, as a project of vitest. */
export function nodeSuite(
  name: string,
  include: string[],
  exclude: readonly string[] = [],
): TestProjectInlineConfiguration {
  return {
    plugins: [workerSources()],
    test: {
      name,
      include,
      exclude: [
        '**/node_modules/**',
        'test/**/*.browser.test.ts',
        'test/**/*.sync.test.ts',
        'test/e2e/**',
        'test/packaging/**',
        'test/site/**',
        ...exclude,
      ],
      // A process for each file: files share no globals, locks, clocks or channels. It costs no more time than threads
      // that are shared.
      pool: 'forks',
      isolate: true,
      setupFiles: ['test/support/leaves-nothing-behind.ts'],
      // More than there are cores: some of them wait for sockets and timers. A number, because Vitest takes no share
      // beyond 100 % for more.
      maxWorkers: Math.ceil(availableParallelism() * 1.5),
      // Nothing here is about time: this is when a test counts as hung, on a machine however busy.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: patience } },
      // A Node 20 has a WebSocket, which it shows only when asked.
      execArgv: ['--experimental-websocket'],
    },
  }
}
