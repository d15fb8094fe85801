import type { StorageBackend } from '../../../contract/backend.ts'
import type { ReferenceChange } from '../../../contract/blob-references.ts'
import { isSessionError } from '../../../contract/errors.ts'
import type { HotRow } from '../../../contract/rows.ts'
import type { VerifyProblem } from '../../../contract/store/verify-problem.ts'
import { contentHash } from '../../content-hash.ts'
import type { Pace } from '../work-pace.ts'

/** The problems with the blobs of a session. */
export interface BlobCheck {
  readonly problems: readonly VerifyProblem[]
  /** The changes that make the stored counts equal to those of the entries. */
  readonly changes: readonly Omit<ReferenceChange, 'at'>[]
  /** Blobs whose bytes are gone, or do not match their hash. */
  readonly broken: readonly string[]
}

/**
 * Compares the blobs that a session's entries name with the stored counts, and reads these blobs.
 *
 * @param named - how many entries name each blob
 * @param sound - results for blobs, which several sessions may name
 * @param isDamaged - whether entries can't be read, so that the counts can't be compared
 */
export async function checkBlobs(
  backend: StorageBackend,
  { key, session }: HotRow,
  named: ReadonlyMap<string, number>,
  sound: Map<string, boolean>,
  isDamaged: boolean,
  pace: Pace,
): Promise<BlobCheck> {
  const stored = await backend.blobReferences(session)
  if (stored === undefined) return { problems: [], changes: [], broken: [] }
  const counts = new Map(stored.map(({ hash }) => [hash, 0]))
  for (const [hash, count] of named) counts.set(hash, count)
  const before = new Map(stored.map(({ hash, count }) => [hash, count]))
  const changes = [...counts]
    .map(([hash, count]) => ({ hash, by: count - (before.get(hash) ?? 0) }))
    .filter(({ by }) => by !== 0)
  const broken: string[] = []
  for (const { hash, wasPut } of stored) {
    if (!wasPut) continue
    await pace.step(0, 0)
    const isSound = sound.get(hash) ?? (await isSoundBlob(backend, hash))
    sound.set(hash, isSound)
    if (!isSound) broken.push(hash)
  }
  return {
    changes,
    broken,
    problems: [
      ...(changes.length === 0 || isDamaged
        ? []
        : [
            {
              key,
              kind: 'meta',
              at: key,
              message: 'What is counted of the blobs that the session names is not what its log says.',
            } as const,
          ]),
      ...broken.map(
        (hash) =>
          ({
            key,
            kind: 'blob',
            at: hash,
            message: `The bytes of blob "${hash}", which the session names, are missing or damaged.`,
          }) as const,
      ),
    ],
  }
}

/** Restores blobs of which there is a copy elsewhere. */
export async function refillBlobs(
  backend: StorageBackend,
  hashes: readonly string[],
  now: () => number,
): Promise<void> {
  for (const hash of hashes) {
    const spare = await backend.spareBlob?.(hash)
    if (spare !== undefined && (await isOfHash(spare, hash))) await backend.putBlob(hash, spare, now())
  }
}

async function isSoundBlob(backend: StorageBackend, hash: string): Promise<boolean> {
  try {
    const blob = await backend.getBlob(hash)
    return blob !== undefined && (await isOfHash(blob, hash))
  } catch (error) {
    if (isSessionError(error, 'ChecksumMismatch')) return false
    throw error
  }
}

async function isOfHash(blob: Blob, hash: string): Promise<boolean> {
  try {
    return (await contentHash(blob)) === hash
  } catch (error) {
    // Without a way to hash there is no result. Bytes that can't be read are a result.
    if (isSessionError(error)) return true
    return false
  }
}
