import { type CoreBackend, controlLane, type StorageBackend } from '../contract/backend.ts'
import type { SequenceRanges } from '../contract/entry.ts'
import type { CommitOutcome, SessionErasure, WriteBatch } from '../contract/write-batch.ts'
import type { JournalMarks } from '../storage/indexeddb/journal-marks.ts'
import type { FrameText } from './add-frame.ts'
import { textsOfWrite } from './mirrored-text.ts'
import { type RowsPart, rowsOfCommit } from './rows/rows-of-commit.ts'
import type { RestoredMark } from './rows/rows-text.ts'

/** Lists how far the database has the journals of workers. */
export type ListMarks = JournalMarks['listJournals']

/** Receives the commits of a backend. */
export interface CommitMirror {
  /** Whether everything was mirrored so far. */
  isOn(): boolean
  /** A commit begins. @returns functions to report whether it was stored */
  begin(texts: Iterable<FrameText>): MirroredCommit
  /**
   * Sessions are about to be erased for good. The erasure is announced in the mirror before it happens: otherwise a
   * start that finds them in the mirror and no longer in the database would restore them. Their entries are removed
   * from the mirror once the erasure is stored. What others have begun under the key and the database has nothing of
   * yet is not meant.
   */
  erase(erased: readonly SessionErasure[], listMarks: ListMarks): Promise<MirroredCommit>
  /**
   * Entries of a session were erased for good. Removes them, except from the files of other living workers, which do it
   * themselves.
   */
  blank(key: string, purged: SequenceRanges): Promise<void>
  /**
   * Writes rows of collections that are stored already: only a finished transaction says which ops changed something.
   * The end of a snapshot is on the disk when this returns.
   *
   * @returns what the answer to the commit must wait for
   */
  addRows(parts: readonly RowsPart[]): Promise<void> | undefined
  /** Notes that the rows of a lost database were restored. */
  markRestored(restored: Omit<RestoredMark, 'epoch'>): Promise<void> | undefined
  /** Resolves when everything that was mirrored so far is on the disk, or the mirror is off. */
  flush(): Promise<void>
  putBlob(hash: string, blob: Blob): Promise<void>
  getBlob(hash: string): Promise<Blob | undefined>
  /** Blobs were collected. */
  dropBlobs(hashes: readonly string[]): Promise<void>
  close(): Promise<void>
}

export interface MirroredCommit {
  /** @returns what the answer to the commit must wait for */
  stored(): Promise<void> | undefined
  undone(): undefined
}

/**
 * A backend whose entries and blobs are written to a mirror too. An entry is written there while its transaction runs,
 * so that it takes almost no extra time; when the transaction fails, the mirror undoes it. Rows of collections follow when
 * the transaction is over, and before the answer. A commit never fails because of its mirror.
 */
export function mirrorCommits<Backend extends CoreBackend>(
  backend: Backend & Partial<Pick<StorageBackend, 'collectBlobs'> & Pick<JournalMarks, 'listJournals'>>,
  mirror: CommitMirror,
): Backend {
  const { collectBlobs, listJournals = async () => [] } = backend
  return {
    ...backend,
    commit: async (batch, durability) => {
      const erasing = batch.erase.length > 0 ? await mirror.erase(batch.erase, listJournals) : undefined
      const storing = backend.commit(batch, durability)
      const parts = [mirror.begin(textsOf(batch)), erasing]
      let isStored = false
      try {
        const outcome = await storing
        isStored = outcome.stored
        if (outcome.stored && outcome.collected !== undefined) await mirror.dropBlobs(outcome.collected)
        const writingRows = mirrorRows(mirror, batch, outcome)
        if (writingRows !== undefined) await writingRows
        return outcome
      } finally {
        for (const part of parts) {
          const writing = isStored ? part?.stored() : part?.undone()
          if (writing !== undefined) await writing
        }
        if (isStored) for (const { key, purged } of purgedIn(batch)) await mirror.blank(key, purged)
      }
    },
    putBlob: async (hash, blob, ...how) => {
      await backend.putBlob(hash, blob, ...how)
      await mirror.putBlob(hash, blob)
    },
    spareBlob: (hash: string) => mirror.getBlob(hash),
    ...(collectBlobs && {
      collectBlobs: async (before: number) => {
        const collected = await collectBlobs(before)
        await mirror.dropBlobs(collected)
        return collected
      },
    }),
    close: async () => {
      await backend.close()
      await mirror.close()
    },
  }
}

function mirrorRows(mirror: CommitMirror, { rows }: WriteBatch, outcome: CommitOutcome): Promise<void> | undefined {
  if (rows === undefined || !outcome.stored || outcome.stamped === undefined) return undefined
  return mirror.addRows(rowsOfCommit(rows, outcome.changed ?? [], outcome.stamped))
}

/** The entries that a batch erases in sessions that stay. */
function purgedIn({ sessions }: WriteBatch): readonly { readonly key: string; readonly purged: SequenceRanges }[] {
  return sessions.flatMap(({ hot, cold, erase }) =>
    erase.some(({ lane }) => lane >= controlLane) && cold !== undefined ? [{ key: hot.key, purged: cold.purged }] : [],
  )
}

function* textsOf({ sessions }: WriteBatch): Generator<FrameText, void, undefined> {
  for (const write of sessions) yield* textsOfWrite(write)
}
