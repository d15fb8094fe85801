import { Inflate } from 'fflate'
import { SessionError } from '../contract/errors.ts'
import { readBytes } from './byte-source.ts'

/** A file of a zip, found by the directory at its end. */
export interface ZipMember {
  readonly path: string
  /** Bytes of the file, as the directory says. */
  readonly size: number
  /** Where it ends in the archive, about. */
  readonly end: number
  /** Its content. @throws InvalidInput when that can't be unpacked, or is not as long as it says; Aborted */
  bytes(signal?: AbortSignal): AsyncGenerator<Uint8Array, void, undefined>
}

const endSize = 22
const endMark = 0x06054b50
const memberSize = 46
const memberMark = 0x02014b50
const headerSize = 30
const headerMark = 0x04034b50

/** The directory of the largest zip there is takes less. */
const directoryLimit = 256 * 1024 * 1024

/** Compressed bytes at a time: a thousand times as many may come out of them. */
const inflatedAtOnce = 16 * 1024

/**
 * The files of a zip by its directory: in any order, exactly as long as it says, whatever stands between them. (Read from the start, a
 * file that was packed as a stream ends at the first bytes that look like an end, which a zip inside a zip has too.)
 *
 * @returns `undefined` when there is no directory: the archive is torn, or none. Archives over 4 GiB have another one, which isn't read
 * @throws InvalidInput when the directory is damaged
 */
export async function zipMembers(archive: Blob): Promise<readonly ZipMember[] | undefined> {
  const tailFrom = Math.max(0, archive.size - endSize - 0xffff)
  const tail = await viewOf(archive, tailFrom, archive.size)
  let at = tail.byteLength - endSize
  while (at >= 0 && !(tail.getUint32(at, true) === endMark && at + endSize + tail.getUint16(at + 20, true) === tail.byteLength)) at -= 1
  if (at < 0) return undefined
  const size = tail.getUint32(at + 12, true)
  const from = tail.getUint32(at + 16, true)
  if (size > directoryLimit || from + size > tailFrom + at) throw damaged('its directory lies outside of it')
  const directory = await viewOf(archive, from, from + size)
  const members: ZipMember[] = []
  for (let next = 0; next < directory.byteLength; ) {
    if (next + memberSize > directory.byteLength || directory.getUint32(next, true) !== memberMark) throw damaged(`entry ${members.length + 1} of its directory can't be read`)
    const [nameLength, extraLength, noteLength] = [28, 30, 32].map((offset) => directory.getUint16(next + offset, true)) as [number, number, number]
    const after = next + memberSize + nameLength + extraLength + noteLength
    if (after > directory.byteLength) throw damaged(`entry ${members.length + 1} of its directory is torn`)
    const path = new TextDecoder().decode(new Uint8Array(directory.buffer, next + memberSize, nameLength))
    members.push(memberOf(archive, path, {
      isSecret: (directory.getUint16(next + 8, true) & 1) === 1,
      method: directory.getUint16(next + 10, true),
      packed: directory.getUint32(next + 20, true),
      size: directory.getUint32(next + 24, true),
      from: directory.getUint32(next + 42, true),
    }))
    next = after
  }
  return members
}

interface Place {
  readonly isSecret: boolean
  readonly method: number
  readonly packed: number
  readonly size: number
  readonly from: number
}

function memberOf(archive: Blob, path: string, { isSecret, method, packed, size, from }: Place): ZipMember {
  async function* bytes(signal?: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    if (isSecret) throw damaged('it needs a password')
    if (method !== 0 && method !== 8) throw damaged(`it is packed in a way (${method}) that can't be read here`)
    const header = await viewOf(archive, from, from + headerSize)
    if (header.byteLength < headerSize || header.getUint32(0, true) !== headerMark) throw damaged('it is not where the directory says')
    const start = from + headerSize + header.getUint16(26, true) + header.getUint16(28, true)
    if (start + packed > archive.size) throw damaged('it ends after the archive does')
    const content = readBytes(archive.slice(start, start + packed).stream(), signal)
    let read = 0
    for await (const piece of method === 0 ? content : inflated(content)) {
      read += piece.length
      if (read > size) throw damaged(`more comes out of it than the ${size} bytes it says`)
      yield piece
    }
    if (read !== size) throw damaged(`it has ${read} bytes instead of the ${size} it says`)
  }
  return { path, size, end: from + headerSize + packed, bytes }
}

async function* inflated(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const out: Uint8Array[] = []
  const inflate = new Inflate((data) => void (data.length > 0 && out.push(data)))
  const push = (bytes: Uint8Array, isLast: boolean): void => {
    try {
      inflate.push(bytes, isLast)
    } catch (error) {
      throw damaged(`it can't be unpacked: ${(error as Error).message}`)
    }
  }
  for await (const piece of content) {
    for (let from = 0; from < piece.length; from += inflatedAtOnce) {
      push(piece.slice(from, from + inflatedAtOnce), false)
      yield* out.splice(0)
    }
  }
  push(new Uint8Array(), true)
  yield* out.splice(0)
}

async function viewOf(blob: Blob, from: number, to: number): Promise<DataView> {
  return new DataView(await blob.slice(from, to).arrayBuffer())
}

function damaged(reason: string): SessionError {
  return new SessionError('InvalidInput', reason)
}
