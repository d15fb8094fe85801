import { isSessionError, SessionError } from '../contract/errors.ts'
import type { Sealer } from './sealer.ts'

/** The first bytes of a sealed blob. */
const magic = 'keepsession-sealed-1'
/** Size of a piece that is sealed by itself, so that a large blob is never in memory twice. */
const pieceBytes = 2 ** 20
/** How much encryption adds to each piece. */
const addedBytes = 28
const headBytes = 64

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The first piece. It holds the type because that is content too. */
interface BlobHead {
  readonly type: string
  readonly size: number
}

/** Id of the key that a blob was sealed with; `undefined` for a plain one. */
export async function keyOfBlob(blob: Blob): Promise<string | undefined> {
  const head = decoder.decode(await blob.slice(0, headBytes).arrayBuffer())
  const [first, key, length] = head.split(' ')
  return first === magic && length !== undefined ? key : undefined
}

/**
 * @param hash - hash of the content, under which the blob is stored. Pieces of one blob can't be opened as pieces of
 *   another
 */
export async function sealBlob(sealer: Sealer, hash: string, blob: Blob): Promise<Blob> {
  const key = sealer.keyId()
  const first = await sealer.sealBytes(
    encoder.encode(JSON.stringify({ type: blob.type, size: blob.size } satisfies BlobHead)),
    `blob ${hash}`,
    key,
  )
  const parts: Blob[] = [new Blob([`${magic} ${key} ${first.length} `.padEnd(headBytes), first])]
  for (let at = 0; at < blob.size; at += pieceBytes) {
    const piece = new Uint8Array(await blob.slice(at, at + pieceBytes).arrayBuffer())
    parts.push(new Blob([await sealer.sealBytes(piece, `blob ${hash} ${at}`, key)]))
  }
  return new Blob(parts)
}

/**
 * Opens a sealed blob, and returns a plain one as it is. @throws ChecksumMismatch when it is damaged, WrongPassphrase
 */
export async function unsealBlob(sealer: Sealer, hash: string, blob: Blob): Promise<Blob> {
  const key = await keyOfBlob(blob)
  if (key === undefined) return blob
  const open = async (from: number, to: number, place: string): Promise<Uint8Array<ArrayBuffer>> =>
    sealer.openBytes(new Uint8Array(await blob.slice(from, to).arrayBuffer()), place, key)
  try {
    const length = Number(decoder.decode(await blob.slice(0, headBytes).arrayBuffer()).split(' ')[2])
    const { type, size } = JSON.parse(
      decoder.decode(await open(headBytes, headBytes + length, `blob ${hash}`)),
    ) as BlobHead
    const parts: Blob[] = []
    for (let at = 0, from = headBytes + length; at < size; at += pieceBytes, from += pieceBytes + addedBytes) {
      parts.push(
        new Blob([await open(from, from + Math.min(pieceBytes, size - at) + addedBytes, `blob ${hash} ${at}`)]),
      )
    }
    return new Blob(parts, { type })
  } catch (error) {
    if (isSessionError(error)) throw error
    throw new SessionError(
      'ChecksumMismatch',
      `The blob "${hash}" is damaged. Restore it from an export or from another device.`,
      { cause: error },
    )
  }
}
