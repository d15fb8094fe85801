import { defaultClientConditions } from 'vite'
import type { TestProjectInlineConfiguration } from 'vitest/config'
import type { BrowserProviderOption } from 'vitest/node'
import { workerSources } from '../../build/worker-sources.ts'
import { servedWorkers } from './served-workers.ts'
import { svelteComponents } from './svelte-components.ts'

/**
 * How long a page may take to show what is awaited, in milliseconds: a busy machine needs more than the second that is
 * usual.
 */
export const patience = 20_000

/**
 * How long a test may take, in milliseconds, where it says nothing else. Workers that stand for tabs load a hundred
 * modules each from a busy server.
 */
const testTimeout = 120_000

/** The tests that run in a page, all or some, as a project of vitest for one browser. */
export function browserSuite(
  name: string,
  browser: 'chromium' | 'firefox' | 'webkit',
  provider: BrowserProviderOption,
  include = ['test/**/*.browser.test.ts'],
  exclude: string[] = [],
): TestProjectInlineConfiguration {
  return {
    plugins: [servedWorkers(), workerSources(), svelteComponents()],
    worker: { format: 'es' },
    // A package of Svelte modules has no other condition.
    resolve: { conditions: ['svelte', ...defaultClientConditions] },
    // Known beforehand, because the page is reloaded, and a test with it, when Vite discovers a dependency late.
    optimizeDeps: {
      // Its modules have runes, which only the plugin above compiles.
      exclude: ['@ai-sdk/svelte'],
      include: [
        '@noble/hashes/sha2.js',
        '@noble/hashes/utils.js',
        'axe-core',
        'comlink',
        'dexie',
        'dompurify',
        'fast-check',
        'fflate',
        'marked',
        'react',
        'react-dom',
        'react-dom/client',
        'react-dom/server',
        'solid-js',
        'solid-js/web',
        'svelte',
        'svelte/internal/client',
        'svelte/internal/disclose-version',
        'svelte/store',
        'vue',
        'yaml',
        'zod/mini',
      ],
    },
    test: {
      name,
      include,
      exclude,
      sequence: { groupOrder: 1 },
      // A page and its browser take one core and a half. Each worker has storage of its own.
      maxWorkers: 2,
      testTimeout,
      hookTimeout: testTimeout,
      expect: { poll: { timeout: patience } },
      browser: { enabled: true, headless: true, screenshotFailures: false, instances: [{ browser }], provider },
    },
  }
}
