import { nodeTests } from '../node-tests.ts'

/** Passes what no JSON has, and what has broken others, to every method. */
export const hostileInput = nodeTests(
  'hostile-input',
  '1,000,000 hostile inputs: each is refused with a typed error, or stored unchanged',
  'test/faults/hostile',
)
