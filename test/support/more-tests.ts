/**
 * Tests that `npm test` leaves to `npm run test:more`, so that it ends in twelve minutes on two cores. CI runs both.
 * What stays has at least one test of everything here; what is here looks at more of the same: further stores, formats,
 * frameworks, walks through the demo, the site.
 */
export const moreTests = {
  node: [
    // The laws of stores with something around them that changes no answer; each has tests of its own.
    'test/store/wrapped-stores.test.ts',
    // The simulated devices; `half-1` stays, `npm run test:sync` runs all of them at length.
    'test/sync/simulation/{accounts-1,accounts-2,account-controls,half-2,names,negative-controls}.test.ts',
    'test/sync-server/{hostile-connections,recover,survive,two-nodes}.test.ts',
    'test/faults/sweep/fault-sweep.test.ts',
    'test/store/tree-power.test.ts',
    'test/storage/engine/long-work.test.ts',
    'test/formats/import-files-memory.test.ts',
    'test/documents/moving-scripts.test.ts',
    // At length, what smaller tests beside them show.
    'test/client/branches/copy-path.test.ts',
    'test/client/context/random-histories.test.ts',
    'test/sync/among-equals.test.ts',
  ],
  browser: [
    // Files of other programs, in the real job worker; `test/formats` has the formats, files.browser.test.ts the worker.
    'test/jobs/{agently,bad-files,import-jsonl,import-picoclaw,whole-log}.browser.test.ts',
    'test/inspector/{inspector-axe,inspector-scale,inspector-views}.browser.test.ts',
    // In Node as well.
    'test/frameworks/langgraph/validate-saver.browser.test.ts',
    'test/frameworks/ai-sdk/*.browser.test.ts',
    'test/client/{bucket,move-left-sessions}.browser.test.ts',
    'test/client/manager/two-tabs.browser.test.ts',
    // It waits for seconds, several times over; test/e2e/data-loss.test.ts has the same in a page.
    'test/client/data-loss.browser.test.ts',
    'test/search/search.browser.test.ts',
  ],
  e2e: [
    'test/e2e/{ai-sdk,assistant-ui,chat-service-worker,tanstack-ai}.test.ts',
    // Walks through the demo; one stays.
    'test/e2e/{demo,demo-chat,demo-endpoint,demo-offline,demo-safety}.test.ts',
    'test/e2e/{compaction,content-policies}.test.ts',
    // The laws of tabs that sync are in test/e2e/sync.test.ts; these are of changed keys and of signing out.
    'test/e2e/sync-tabs.test.ts',
    // The package in the hands of users: types under each module resolution, each block of the documentation.
    'test/packaging/{blocks,examples,sync-size,tasks,types}.test.ts',
    'test/site/{browsing,guides,pages}.test.ts',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>
