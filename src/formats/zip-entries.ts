import { Inflate } from 'fflate'
import { SessionError } from '../contract/errors.ts'
import { byteChecksum } from './byte-checksum.ts'
import { readBytes } from './byte-source.ts'

/** A file in an archive, as listed in the archive's directory. */
export interface ZipEntry {
  readonly path: string
  /** Its unpacked size in bytes, as stated in the directory. */
  readonly bytes: number
  /** The approximate position of its end in the archive. */
  readonly end: number
  /** Unpacks it in pieces. @throws InvalidInput when the content does not match the directory; Aborted */
  read(signal?: AbortSignal): AsyncGenerator<Uint8Array, void, undefined>
}

/** The maximum unpacked size of all files of an archive together, as stated in the directory. */
const unpackedLimit = 16 * 1024 ** 3
/** The maximum size of the directory, which is kept in memory: half a million files. */
const directoryLimit = 64 * 1024 * 1024
/** Compressed bytes per step: they may unpack to a thousand times as many. */
const inflatedAtOnce = 16 * 1024
/** The end of an archive with its longest comment. */
const endBytes = 22 + 0xffff + 20

/**
 * Lists the files of a zip archive by the directory at its end. So files are read in place, without the archive in
 * memory; an incomplete archive is recognised before anything is read; and the stated size of a file is checked against
 * its content. (Read from the start, a file that was packed as a stream ends at the first bytes that look like an end,
 * which also occur in a zip within a zip.)
 *
 * @param damaged - makes the error for a problem; default: InvalidInput with the problem as its message
 * @throws InvalidInput when it is visibly damaged or encrypted; TooLarge when it would unpack to more than 16 GiB
 */
export async function readZip(
  blob: Blob,
  damaged: Damaged = (found, cause) => new SessionError('InvalidInput', found, { cause }),
): Promise<readonly ZipEntry[]> {
  const tail = await viewOf(blob, Math.max(0, blob.size - endBytes), blob.size)
  const directory = await findDirectory(blob, tail, damaged)
  const view = await viewOf(blob, directory.offset, directory.offset + directory.bytes)
  const entries: ZipEntry[] = []
  let total = 0
  let at = 0
  while (at + 46 <= view.byteLength && view.getUint32(at, true) === 0x02014b50) {
    const [nameBytes, extraBytes, commentBytes] = [
      view.getUint16(at + 28, true),
      view.getUint16(at + 30, true),
      view.getUint16(at + 32, true),
    ]
    const end = at + 46 + nameBytes + extraBytes + commentBytes
    if (end > view.byteLength) throw damaged('its directory is cut off')
    const head = headOf(view, at, nameBytes, extraBytes)
    at = end
    if (head.path.endsWith('/')) continue
    total += head.bytes
    if (total > unpackedLimit)
      throw new SessionError(
        'TooLarge',
        'The archive unpacks to more than 16 GiB. Nothing was imported; unpack it and choose the files you want.',
      )
    entries.push({
      path: head.path,
      bytes: head.bytes,
      end: head.offset + 30 + head.packed,
      read: (signal) => unpack(blob, head, damaged, signal),
    })
  }
  // After the files there may be a signature of the directory.
  if (at < view.byteLength && !(at + 4 <= view.byteLength && view.getUint32(at, true) === 0x05054b50))
    throw damaged('its directory is damaged')
  return entries
}

export type Damaged = (found: string, cause?: unknown) => SessionError

interface Head {
  readonly path: string
  readonly method: number
  readonly isEncrypted: boolean
  readonly crc: number
  readonly packed: number
  readonly bytes: number
  readonly offset: number
}

async function viewOf(blob: Blob, from: number, to: number): Promise<DataView> {
  return new DataView(await blob.slice(from, to).arrayBuffer())
}

async function findDirectory(
  blob: Blob,
  tail: DataView,
  damaged: Damaged,
): Promise<{ readonly offset: number; readonly bytes: number }> {
  let at = tail.byteLength - 22
  // The end record of a zip within this one is followed by more than its comment.
  while (
    at >= 0 &&
    !(tail.getUint32(at, true) === 0x06054b50 && at + 22 + tail.getUint16(at + 20, true) === tail.byteLength)
  )
    at -= 1
  if (at < 0) throw damaged('its end is missing, it was cut off')
  let [bytes, offset] = [tail.getUint32(at + 12, true), tail.getUint32(at + 16, true)]
  if ((offset === 0xffffffff || bytes === 0xffffffff) && at >= 20 && tail.getUint32(at - 20, true) === 0x07064b50) {
    const place = Number(tail.getBigUint64(at - 12, true))
    const end = await viewOf(blob, place, place + 56)
    if (end.byteLength < 56 || end.getUint32(0, true) !== 0x06064b50) throw damaged('its end is damaged')
    bytes = Number(end.getBigUint64(40, true))
    offset = Number(end.getBigUint64(48, true))
  }
  if (offset + bytes > blob.size) throw damaged('its directory is outside of it, it was cut off')
  if (bytes > directoryLimit) throw damaged(`its directory has ${bytes} bytes`)
  return { offset, bytes }
}

function headOf(view: DataView, at: number, nameBytes: number, extraBytes: number): Head {
  const flags = view.getUint16(at + 8, true)
  const name = new Uint8Array(view.buffer, view.byteOffset + at + 46, nameBytes)
  // Without the UTF-8 flag, names are in some code page; in exports they are ASCII then.
  let [packed, bytes, offset] = [
    view.getUint32(at + 20, true),
    view.getUint32(at + 24, true),
    view.getUint32(at + 42, true),
  ]
  for (let i = at + 46 + nameBytes, last = i + extraBytes; i + 4 <= last; i += 4 + view.getUint16(i + 2, true)) {
    if (view.getUint16(i, true) !== 1) continue
    let field = i + 4
    const next = (): number => (field + 8 <= last ? Number(view.getBigUint64((field += 8) - 8, true)) : 0)
    if (bytes === 0xffffffff) bytes = next()
    if (packed === 0xffffffff) packed = next()
    if (offset === 0xffffffff) offset = next()
  }
  return {
    path: new TextDecoder().decode(name),
    method: view.getUint16(at + 10, true),
    isEncrypted: (flags & 1) === 1,
    crc: view.getUint32(at + 16, true),
    packed,
    bytes,
    offset,
  }
}

async function* unpack(
  blob: Blob,
  head: Head,
  damaged: Damaged,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { path, method, crc, packed, bytes, offset, isEncrypted } = head
  if (isEncrypted) throw damaged(`${path} is encrypted`)
  if (method !== 0 && method !== 8) throw damaged(`${path} is compressed with an unsupported method (${method})`)
  const local = await viewOf(blob, offset, offset + 30)
  if (local.byteLength < 30 || local.getUint32(0, true) !== 0x04034b50)
    throw damaged(`${path} is not where the directory says`)
  const start = offset + 30 + local.getUint16(26, true) + local.getUint16(28, true)
  if (start + packed > blob.size) throw damaged(`${path} is cut off`)
  const source = readBytes(blob.slice(start, start + packed).stream(), signal)
  let length = 0
  let sum = 0
  for await (const piece of method === 0
    ? source
    : inflated(source, (error) => damaged(`${path}: ${error.message}`, error))) {
    length += piece.length
    if (length > bytes) throw damaged(`${path} unpacks to more than the ${bytes} bytes in the directory`)
    sum = byteChecksum(piece, sum)
    yield piece
  }
  if (length < bytes) throw damaged(`${path} ends after ${length} of ${bytes} bytes`)
  if (sum !== crc) throw damaged(`${path} does not match its checksum`)
}

async function* inflated(
  source: AsyncIterable<Uint8Array>,
  damaged: (error: Error) => SessionError,
): AsyncGenerator<Uint8Array, void, undefined> {
  let out: Uint8Array[] = []
  const inflate = new Inflate((data) => void (data.length > 0 && out.push(data)))
  const push = (bytes: Uint8Array, isLast: boolean): readonly Uint8Array[] => {
    out = []
    try {
      inflate.push(bytes, isLast)
    } catch (error) {
      throw damaged(error as Error)
    }
    return out
  }
  for await (const piece of source) {
    for (let from = 0; from < piece.length; from += inflatedAtOnce)
      yield* push(piece.slice(from, from + inflatedAtOnce), false)
  }
  yield* push(new Uint8Array(), true)
}
