import { describe } from 'vitest'
import { aliasLaws } from './laws/alias-laws.ts'
import { appendLaws } from './laws/append-laws.ts'
import { badInputLaws } from './laws/bad-input-laws.ts'
import { blobLaws } from './laws/blob-laws.ts'
import { branchLaws } from './laws/branch-laws.ts'
import { checkpointLaws } from './laws/checkpoint-laws.ts'
import { closedStoreLaws } from './laws/closed-store-laws.ts'
import { compactionLaws } from './laws/compaction-laws.ts'
import { concurrencyLaws } from './laws/concurrency-laws.ts'
import { cutLaws } from './laws/cut-laws.ts'
import { deletionLaws } from './laws/deletion-laws.ts'
import { deviationTests } from './laws/deviation-tests.ts'
import { draftLaws } from './laws/draft-laws.ts'
import { editLaws } from './laws/edit-laws.ts'
import { historyLaws } from './laws/history-laws.ts'
import { idempotenceLaws } from './laws/idempotence-laws.ts'
import { isolationLaws } from './laws/isolation-laws.ts'
import { lifeLaws } from './laws/life-laws.ts'
import { listLaws } from './laws/list-laws.ts'
import { mergeLaws } from './laws/merge-laws.ts'
import { metadataLaws } from './laws/metadata-laws.ts'
import { nameLaws } from './laws/name-laws.ts'
import { pagingLaws } from './laws/paging-laws.ts'
import { parentLaws } from './laws/parent-laws.ts'
import { picoclawLaws } from './laws/picoclaw-laws.ts'
import { promotionLaws } from './laws/promotion-laws.ts'
import { purgeLaws } from './laws/purge-laws.ts'
import { reunionLaws } from './laws/reunion-laws.ts'
import { roundTripLaws } from './laws/round-trip-laws.ts'
import { termLaws } from './laws/term-laws.ts'
import { unknownSessionLaws } from './laws/unknown-session-laws.ts'
import { upkeepLaws } from './laws/upkeep-laws.ts'
import type { StoreUnderTest } from './store-under-test.ts'
import { createSuite } from './suite.ts'

/**
 * Declares the laws L1 to L24 of `SessionStore` as tests of vitest. Call it at the top of a test file, once for each
 * kind of store; each test opens a store of its own.
 */
export function sessionStoreConformance(sut: StoreUnderTest): void {
  const suite = createSuite(sut)
  describe(`${sut.name} keeps the laws of stores`, () => {
    describe('appending', () => appendLaws(suite))
    describe('round trip', () => roundTripLaws(suite))
    describe('reading in pages', () => pagingLaws(suite))
    describe('editing', () => editLaws(suite))
    describe('aliases', () => aliasLaws(suite))
    describe('names', () => nameLaws(suite))
    describe('promotion', () => promotionLaws(suite))
    describe('names across devices', () => reunionLaws(suite))
    describe('metadata', () => metadataLaws(suite))
    describe('lists', () => listLaws(suite))
    describe('branches', () => branchLaws(suite))
    describe('cuts', () => cutLaws(suite))
    describe('setHistory', () => historyLaws(suite))
    describe('compactions', () => compactionLaws(suite))
    describe('checkpoints', () => checkpointLaws(suite))
    describe('drafts', () => draftLaws(suite))
    describe('blobs', () => blobLaws(suite))
    describe('deleting', () => deletionLaws(suite))
    describe('purging', () => purgeLaws(suite))
    describe('lives', () => lifeLaws(suite))
    describe('repeating', () => idempotenceLaws(suite))
    describe('comparing before appending', () => parentLaws(suite))
    describe('merging', () => mergeLaws(suite))
    describe('upkeep', () => upkeepLaws(suite))
    describe('terms', () => termLaws(suite))
    describe("PicoClaw's names", () => picoclawLaws(suite))
    describe('bad input', () => badInputLaws(suite))
    describe('closing', () => closedStoreLaws(suite))
    describe('unknown sessions', () => unknownSessionLaws(suite))
    describe('isolation', () => isolationLaws(suite))
    describe('concurrency', () => concurrencyLaws(suite))
    // That of `uncloneable` stands among the laws of bad input; a group without a test is a mistake to vitest.
    if (Object.keys(sut.deviations ?? {}).some((deviation) => deviation !== 'uncloneable'))
      describe('deviations', () => deviationTests(suite))
  })
}
