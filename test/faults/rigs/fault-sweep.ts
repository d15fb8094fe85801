import { nodeTests } from '../node-tests.ts'

/** Makes each request of IndexedDB fail once, in a run over the whole API. */
export const faultSweep = nodeTests(
  'fault-sweep',
  'every request of storage fails once, in three ways (at least 500 points): each call whole or undone, and repeatable',
  'test/faults/sweep',
)
