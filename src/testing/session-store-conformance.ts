import { describe } from 'vitest'
import type { Laws } from './law.ts'
import { aliasLaws } from './laws/alias-laws.ts'
import { appendLaws } from './laws/append-laws.ts'
import { atomicChangeLaws } from './laws/atomic-change-laws.ts'
import { badInputLaws } from './laws/bad-input-laws.ts'
import { badMessageLaws } from './laws/bad-message-laws.ts'
import { blobLaws } from './laws/blob-laws.ts'
import { branchLaws } from './laws/branch-laws.ts'
import { checkpointLaws } from './laws/checkpoint-laws.ts'
import { clearedCompactionLaws } from './laws/cleared-compaction-laws.ts'
import { closedStoreLaws } from './laws/closed-store-laws.ts'
import { collectionLaws } from './laws/collection-laws.ts'
import { compactionLaws } from './laws/compaction-laws.ts'
import { compactionRefusalLaws } from './laws/compaction-refusal-laws.ts'
import { concurrencyLaws } from './laws/concurrency-laws.ts'
import { cutLaws } from './laws/cut-laws.ts'
import { deletionLaws } from './laws/deletion-laws.ts'
import { deviationChecks } from './laws/deviation-checks.ts'
import { draftLaws } from './laws/draft-laws.ts'
import { draftMidLaws } from './laws/draft-mid-laws.ts'
import { editLaws } from './laws/edit-laws.ts'
import { erasedControlLaws } from './laws/erased-control-laws.ts'
import { erasedEditLaws } from './laws/erased-edit-laws.ts'
import { erasedMetaLaws } from './laws/erased-meta-laws.ts'
import { forkLaws } from './laws/fork-laws.ts'
import { historyLaws } from './laws/history-laws.ts'
import { idempotenceLaws } from './laws/idempotence-laws.ts'
import { isolationLaws } from './laws/isolation-laws.ts'
import { lifeLaws } from './laws/life-laws.ts'
import { listLaws } from './laws/list-laws.ts'
import { mergeLaws } from './laws/merge-laws.ts'
import { mergeRefusalLaws } from './laws/merge-refusal-laws.ts'
import { metadataLaws } from './laws/metadata-laws.ts'
import { nameLaws } from './laws/name-laws.ts'
import { pagingLaws } from './laws/paging-laws.ts'
import { parentLaws } from './laws/parent-laws.ts'
import { picoclawLaws } from './laws/picoclaw-laws.ts'
import { promotionLaws } from './laws/promotion-laws.ts'
import { promotionOnceLaws } from './laws/promotion-once-laws.ts'
import { purgeLaws } from './laws/purge-laws.ts'
import { putLaws } from './laws/put-laws.ts'
import { restoreLaws } from './laws/restore-laws.ts'
import { reunionLaws } from './laws/reunion-laws.ts'
import { roundTripLaws } from './laws/round-trip-laws.ts'
import { rowRangeLaws } from './laws/row-range-laws.ts'
import { termLaws } from './laws/term-laws.ts'
import { turnLaws } from './laws/turn-laws.ts'
import { unknownSessionLaws } from './laws/unknown-session-laws.ts'
import { upkeepLaws } from './laws/upkeep-laws.ts'
import type { StoreUnderTest } from './store-under-test.ts'
import { declareDeviations, declareLaws } from './suite.ts'

/** All laws by their subject. */
const groups: Readonly<Record<string, Laws>> = {
  appending: appendLaws,
  turns: turnLaws,
  'round trip': roundTripLaws,
  'reading in pages': pagingLaws,
  editing: editLaws,
  putting: putLaws,
  'atomic changes': atomicChangeLaws,
  aliases: aliasLaws,
  names: nameLaws,
  promotion: { ...promotionLaws, ...promotionOnceLaws },
  'names across devices': reunionLaws,
  metadata: metadataLaws,
  lists: listLaws,
  branches: { ...branchLaws, ...forkLaws },
  cuts: cutLaws,
  'erased edits': erasedEditLaws,
  'erased summaries and checkpoints': erasedControlLaws,
  'erased metadata': erasedMetaLaws,
  setHistory: historyLaws,
  compactions: { ...compactionLaws, ...clearedCompactionLaws, ...compactionRefusalLaws },
  checkpoints: { ...checkpointLaws, ...restoreLaws },
  drafts: { ...draftLaws, ...draftMidLaws },
  blobs: blobLaws,
  collections: collectionLaws,
  'ranges of rows': rowRangeLaws,
  deleting: deletionLaws,
  purging: purgeLaws,
  lives: lifeLaws,
  repeating: idempotenceLaws,
  'comparing before appending': parentLaws,
  merging: { ...mergeLaws, ...mergeRefusalLaws },
  upkeep: upkeepLaws,
  terms: termLaws,
  "PicoClaw's names": picoclawLaws,
  'bad input': { ...badMessageLaws, ...badInputLaws },
  closing: closedStoreLaws,
  'unknown sessions': unknownSessionLaws,
  isolation: isolationLaws,
  concurrency: concurrencyLaws,
}

/**
 * Declares the laws L1 to L24 of `SessionStore` as tests of vitest. Call it at the top of a test file, once for each
 * kind of store; each test opens a store of its own.
 */
export function sessionStoreConformance(sut: StoreUnderTest): void {
  describe(`${sut.name} keeps the laws of stores`, () => {
    for (const [subject, laws] of Object.entries(groups)) describe(subject, () => declareLaws(sut, laws))
    // Vitest takes a group without a test for a mistake.
    if (Object.keys(sut.deviations ?? {}).length > 0)
      describe('deviations', () => declareDeviations(sut, deviationChecks))
  })
}
