/**
 * Tests that `npm test` and `npm run test:more` leave to `npm run test:long`: each of them repeats at length, or by hand
 * of a browser, what shorter ones show.
 */
export const takesLong: readonly string[] = [
  // Files of 50 MB through a real worker; `test/formats` and `test/jobs` have the same code with small ones.
  'test/e2e/large-files.test.ts',
  // Rounds of rigs that `npm run test:faults` runs at full figures.
  'test/e2e/faults.test.ts',
  // Walks through the demo, on code that other tests cover; one walk stays.
  'test/e2e/demo-context.test.ts',
  'test/e2e/demo-history.test.ts',
  'test/e2e/demo-identity.test.ts',
  // The walk over two devices; `test/e2e/sync.test.ts` has their laws.
  'test/e2e/demo-sync.test.ts',
  // A release after another one, for each step of a session; `test/storage/formats` has the upgrades.
  'test/e2e/two-releases.test.ts',
  // The package under the bundlers of its users.
  'test/packaging/consumer.test.ts',
  'test/packaging/other-bundlers.test.ts',
  // The sync server, installed from the registry.
  'test/packaging/sync-server-package.test.ts',
  // The apps of `examples`, each installed from the registry.
  'test/packaging/example-apps.test.ts',
  // Every page of the documentation site with axe; browsing.test.ts has one of each kind.
  'test/site/accessibility.test.ts',
  // 10,000 messages from each store that others used before, by the scripts of the site's guides.
  'test/site/moving.test.ts',
]
