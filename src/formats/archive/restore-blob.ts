import { SessionError } from '../../contract/errors.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { createSha256 } from '../../domain/sha256.ts'
import type { Breather } from '../../pacing/breather.ts'
import type { ByteSource } from '../byte-source.ts'

/** The maximum size of a blob, which is kept in memory until it is complete. */
const blobBytes = 1024 * 1024 * 1024

export interface ArchivedBlob {
  readonly hash: string
  readonly type: string
  readonly bytes: () => ByteSource
}

/**
 * Stores a blob of an archive, unless the store has it.
 *
 * @returns whether it is new
 * @throws TooLarge; ChecksumMismatch when its content is not that of its hash
 */
export async function restoreBlob(
  store: Pick<SessionStore, 'getBlob' | 'putBlob'>,
  { hash, type, bytes }: ArchivedBlob,
  breathe: Breather,
): Promise<boolean> {
  if ((await store.getBlob(hash)) !== undefined) return false
  const parts: Uint8Array<ArrayBuffer>[] = []
  const digest = createSha256()
  let length = 0
  for await (const piece of bytes() as AsyncIterable<Uint8Array>) {
    length += piece.length
    if (length > blobBytes) throw new SessionError('TooLarge', `it has over ${blobBytes / 1024 / 1024} MiB`)
    parts.push(piece.slice())
    digest.update(piece)
    const pause = breathe()
    if (pause !== undefined) await pause
  }
  if (digest.hex() !== hash)
    throw new SessionError('ChecksumMismatch', 'its content does not match the checksum in its name')
  await store.putBlob(new Blob(parts, { type }))
  return true
}
