/**
 * Files of tests run in another order each time, so that none can come to need another. The seed is printed as a run begins; `TEST_SEED=<seed>`
 * repeats its order.
 */
export const anyOrder = { shuffle: { files: true, tests: false }, seed: Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000) }
