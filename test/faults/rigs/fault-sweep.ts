import { nodeTests } from '../node-tests.ts'

/** Makes each request of IndexedDB fail once, in a run over the whole API. */
export const faultSweep = nodeTests(
  'fault-sweep',
  'every storage request fails once, in three ways (at least 500 points): each call is done completely or not at all, and can be repeated',
  'test/faults/sweep',
)
