import type { BlobReference } from '../contract/blob-references.ts'
import type { JsonValue } from '../contract/json.ts'
import type { SessionErasure, SessionWrite } from '../contract/write-batch.ts'
import { namedBlobs } from '../domain/named-blobs.ts'

/** The blobs of a backend without a database, and the entries that name them. */
export interface BlobShelf {
  put(hash: string, blob: Blob, at: number): void
  get(hash: string): Blob | undefined
  bytes(): number
  references(session: number): readonly BlobReference[]
  /** Counts the blobs that a commit names and no longer names. @returns the blobs that were erased with it */
  count(
    writes: readonly SessionWrite[],
    erased: readonly SessionErasure[],
    drafts: () => readonly JsonValue[],
  ): readonly string[]
  /** Erases blobs that have waited since before a time and that nothing names. @returns the hashes */
  collect(before: number, drafts: () => readonly JsonValue[]): readonly string[]
}

interface Held {
  readonly blob: Blob
  /** Absent once an entry has named it. */
  unnamedSince?: number
}

export function createBlobShelf(): BlobShelf {
  const held = new Map<string, Held>()
  /** How many entries name a blob, by session. */
  const counts = new Map<number, Map<string, number>>()

  const isNamed = (hash: string): boolean => [...counts.values()].some((of) => of.has(hash))

  function drop(hashes: readonly string[], drafts: () => readonly JsonValue[]): readonly string[] {
    if (hashes.length === 0) return []
    const inDrafts = namedBlobs({ type: '', data: { drafts: drafts() } })
    const gone = hashes.filter((hash) => !inDrafts.has(hash) && !isNamed(hash))
    for (const hash of gone) held.delete(hash)
    // A blob that only an abandoned draft names must not stay for ever.
    for (const hash of hashes) {
      const one = held.get(hash)
      if (one !== undefined && !isNamed(hash)) one.unnamedSince ??= 0
    }
    return gone
  }

  return {
    put: (hash, blob, at) => void held.set(hash, { blob, unnamedSince: at }),
    get: (hash) => held.get(hash)?.blob,
    bytes: () => [...held.values()].reduce((sum, { blob }) => sum + blob.size, 0),
    references: (session) =>
      [...(counts.get(session) ?? [])].map(([hash, count]) => ({ hash, count, wasPut: held.has(hash) })),
    count: (writes, erased, drafts) => {
      const fallen = new Set<string>()
      const lowered = new Map<string, number>()
      for (const { session } of erased) {
        for (const hash of counts.get(session)?.keys() ?? []) fallen.add(hash)
        counts.delete(session)
      }
      for (const {
        hot: { session },
        references = [],
      } of writes) {
        const of = counts.get(session) ?? new Map<string, number>()
        for (const { hash, by, at, isLost = false } of references) {
          const count = Math.max(0, (of.get(hash) ?? 0) + by)
          if (count > 0 || isLost) of.set(hash, count)
          else if (of.delete(hash)) lowered.set(hash, at)
          if (by > 0) delete held.get(hash)?.unnamedSince
        }
        if (of.size > 0) counts.set(session, of)
        else counts.delete(session)
      }
      for (const [hash, at] of lowered) {
        const one = held.get(hash)
        if (one !== undefined && !isNamed(hash)) one.unnamedSince ??= at
      }
      return drop(
        [...fallen].filter((hash) => held.has(hash) && held.get(hash)?.unnamedSince === undefined),
        drafts,
      )
    },
    collect: (before, drafts) =>
      drop(
        [...held].flatMap(([hash, { unnamedSince }]) =>
          unnamedSince !== undefined && unnamedSince < before ? [hash] : [],
        ),
        drafts,
      ),
  }
}
