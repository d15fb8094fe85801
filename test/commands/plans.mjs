// What each command runs, in order. Plain JavaScript, as run-steps.mjs.

/** @typedef {import('./run-steps.mjs').Step} Step */

/** A part of the Node tests that meets every layer. */
const core = [
  'test/architecture.test.ts',
  'test/contract',
  'test/domain/arrive.test.ts',
  'test/domain/identity',
  'test/storage/indexeddb.test.ts',
  'test/storage/engine',
  'test/client/session.test.ts',
  'test/client/transcript.test.ts',
  'test/formats/archive.test.ts',
  'test/search/search.test.ts',
  'test/sync/create-sync.test.ts',
]

/**
 * `quick`: while working, in a minute and a half. `all`: before a release. `ci`: what CI runs after `npm ci`.
 *
 * @type {Readonly<Record<'quick' | 'all' | 'ci', { readonly minutes?: number, readonly steps: readonly Step[] }>>}
 */
export const plans = {
  quick: {
    steps: [
      { run: 'npm run --silent check' },
      { run: `npx vitest run --project node ${core.join(' ')}` },
      { run: 'npm run --silent test:browser -- test/client/session-identity.browser.test.ts' },
    ],
  },
  all: {
    steps: [
      { run: 'npm test' },
      { run: 'npm run --silent test:more' },
      { run: 'npm run --silent test:long' },
      { run: 'npm run --silent test:install' },
      { run: 'npm run --silent test:server' },
      { run: 'npm run --silent test:model' },
      { run: 'npm run --silent test:sync' },
      { run: 'npm run --silent test:engines' },
      { run: 'npm run --silent test:faults -- --quick' },
    ],
  },
  ci: {
    minutes: 60,
    steps: [
      // What the README says, first.
      { run: 'npm test' },
      { run: 'npm run --silent test:more', env: { SYNC_RUNS: '3000', SYNC_ACCOUNT_RUNS: '1000' }, minutes: 25 },
    ],
  },
}
