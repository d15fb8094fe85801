import { controlLane, type CoreBackend, type SessionErasure, type StorageBackend, type WriteBatch } from '../contract/backend.ts'
import type { SequenceRanges } from '../contract/entry.ts'
import { textsOfWrite } from './mirrored-text.ts'

/** What hears of commits. */
export interface CommitMirror {
  /** Whether it has kept everything so far. */
  isOn(): boolean
  /** @returns what to say of it once it is known whether it was stored */
  begin(texts: Iterable<string>): MirroredCommit
  /**
   * Sessions will be gone for good. Says so before they are, because who finds them in the mirror and no longer in the database would put
   * them back; what it has of them goes once they are.
   */
  erase(erased: readonly SessionErasure[]): Promise<MirroredCommit>
  /** Entries of a session are erased for good: what it has of them goes. Those in files of other workers that live go when these hear of it. */
  blank(key: string, purged: SequenceRanges): Promise<void>
  putBlob(hash: string, blob: Blob): Promise<void>
  getBlob(hash: string): Promise<Blob | undefined>
  /** Blobs that are collected. */
  dropBlobs(hashes: readonly string[]): Promise<void>
  close(): Promise<void>
}

export interface MirroredCommit {
  /** @returns what the answer to the commit has to wait for */
  stored(): Promise<void> | undefined
  undone(): undefined
}

/**
 * A backend whose entries and blobs are written to a mirror too. An entry is written there while its transaction is under way, so that it
 * costs next to no time; where that fails, the mirror hears of it. A commit never fails because of its mirror.
 */
export function mirrorCommits<Backend extends CoreBackend>(backend: Backend & Partial<Pick<StorageBackend, 'collectBlobs'>>, mirror: CommitMirror): Backend {
  const { collectBlobs } = backend
  return {
    ...backend,
    commit: async (batch, durability) => {
      const erasing = batch.erase.length > 0 ? await mirror.erase(batch.erase) : undefined
      const storing = backend.commit(batch, durability)
      const parts = [mirror.begin(textsOf(batch)), erasing]
      let isStored = false
      try {
        const outcome = await storing
        isStored = outcome.stored
        if (outcome.stored && outcome.collected !== undefined) await mirror.dropBlobs(outcome.collected)
        return outcome
      } finally {
        for (const part of parts) {
          const writing = isStored ? part?.stored() : part?.undone()
          if (writing !== undefined) await writing
        }
        if (isStored) for (const { key, purged } of purgedIn(batch)) await mirror.blank(key, purged)
      }
    },
    putBlob: async (hash, blob, at, size) => {
      await backend.putBlob(hash, blob, at, size)
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

/** What a batch erases inside of sessions that stay. */
export function purgedIn({ sessions }: WriteBatch): readonly { readonly key: string; readonly purged: SequenceRanges }[] {
  return sessions.flatMap(({ hot, cold, erase }) => (erase.some(({ lane }) => lane >= controlLane) && cold !== undefined ? [{ key: hot.key, purged: cold.purged }] : []))
}

function* textsOf({ sessions }: WriteBatch): Generator<string, void, undefined> {
  for (const write of sessions) yield* textsOfWrite(write)
}
