import { SessionError } from '../contract/errors.ts'
import type { SourceFile } from '../contract/job.ts'
import { pushAll } from '../domain/push-all.ts'
import { type ByteSource, readBytes } from './byte-source.ts'
import { isFileError } from './is-file-error.ts'
import { walkFiles } from './session-files.ts'
import { type Damaged, readZip } from './zip-entries.ts'

/** A file of a source, or of an archive in it. It can be read more than once. */
export interface ForeignFile {
  /** With the archive's name before it; `''` for a source that is one blob without a name. */
  readonly path: string
  /** The file of the source that it is or is contained in. */
  readonly source: SourceFile
  readonly kind: 'plain' | 'zip' | 'gzip'
  /** The bytes that it adds to the progress of one reading. */
  readonly bytes: number
  /** @throws Aborted, InvalidInput when it is damaged */
  read(signal: AbortSignal | undefined, onRead: (bytes: number) => void): AsyncGenerator<Uint8Array, void, undefined>
}

/** The first line of a session's file is searched in this many bytes. */
const headerBytes = 64 * 1024

/** The maximum unpacked size of a gzip file. */
const unpackedLimit = 16 * 1024 ** 3

/**
 * Lists the files of a source by path, including those in zip and gzip files. Archives are recognised by their first
 * bytes, not by their names.
 *
 * @param onDamage - called for an archive that can't be read
 * @throws Aborted
 */
export async function listForeignFiles(
  files: readonly SourceFile[],
  signal: AbortSignal | undefined,
  onDamage: (path: string, error: unknown) => void,
): Promise<readonly ForeignFile[]> {
  const found: ForeignFile[] = []
  for (const source of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const { path, blob } = source
    const [first, second, third] = new Uint8Array(await blob.slice(0, 4).arrayBuffer())
    // The first file, or the end of an archive without any.
    const isZip = first === 0x50 && second === 0x4b && (third === 3 || third === 5)
    if (isZip) {
      try {
        const damaged: Damaged = (said, cause) =>
          new SessionError(
            'InvalidInput',
            `The archive ${path} can't be read: ${said}. Nothing was imported; download it again.`,
            { cause },
          )
        pushAll(
          found,
          (await readZip(blob, damaged)).map((entry) => {
            const inner = path === '' ? entry.path : `${path}/${entry.path}`
            return {
              path: inner,
              source,
              kind: 'zip' as const,
              bytes: entry.bytes,
              read: (signal?: AbortSignal, onRead?: (bytes: number) => void) => counted(entry.read(signal), onRead),
            }
          }),
        )
      } catch (error) {
        const torn = isFileError(error) ? await tornArchive(source, signal) : undefined
        if (torn === undefined) onDamage(path, error)
        else found.push(torn)
      }
    } else if (first === 0x1f && second === 0x8b) {
      found.push({
        path,
        source,
        kind: 'gzip',
        bytes: blob.size,
        read: (signal, onRead) => unzipped(path, counted(readBytes(blob.stream(), signal), onRead), signal),
      })
    } else {
      found.push({
        path,
        source,
        kind: 'plain',
        bytes: blob.size,
        read: (signal, onRead) => counted(readBytes(blob.stream(), signal), onRead),
      })
    }
  }
  return found
}

/**
 * Returns the first session of a zip without its end, if it is an archive of this package, from which complete sessions
 * can be restored. Other incomplete zips are not used, because it is unknown what is missing.
 */
async function tornArchive(source: SourceFile, signal: AbortSignal | undefined): Promise<ForeignFile | undefined> {
  try {
    for await (const { path, bytes } of walkFiles([{ path: '', blob: source.blob }], {
      isWanted: isSessionPath,
      signal,
      onRead: () => {},
    })) {
      const header = await firstLine(bytes)
      if (!new TextDecoder().decode(header).includes('"keepsession":"session"')) continue
      const read = async function* (
        _: AbortSignal | undefined,
        onRead: (bytes: number) => void,
      ): AsyncGenerator<Uint8Array, void, undefined> {
        onRead(source.blob.size)
        yield header
      }
      return {
        path: source.path === '' ? path : `${source.path}/${path}`,
        source,
        kind: 'zip',
        bytes: source.blob.size,
        read,
      }
    }
  } catch (error) {
    if (!isFileError(error)) throw error
  }
  return undefined
}

const isSessionPath = (path: string): boolean => /(^|\/)sessions\/[^/]+\.jsonl$/.test(path)

async function firstLine(bytes: ByteSource): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for await (const piece of bytes as AsyncIterable<Uint8Array>) {
    const end = piece.indexOf(0x0a)
    parts.push(piece.slice(0, end < 0 ? piece.length : end + 1))
    length += piece.length
    if (end >= 0 || length > headerBytes) break
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}

async function* counted(
  bytes: AsyncIterable<Uint8Array>,
  onRead: ((bytes: number) => void) | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of bytes) {
    onRead?.(piece.length)
    yield piece
  }
}

async function* unzipped(
  path: string,
  bytes: AsyncGenerator<Uint8Array, void, undefined>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: async (controller) => {
      const { done, value } = await bytes.next()
      if (done === true) controller.close()
      else controller.enqueue(value.slice())
    },
    cancel: async () => void (await bytes.return()),
  })
  let length = 0
  for await (const piece of readBytes(packed.pipeThrough(new DecompressionStream('gzip')), signal)) {
    length += piece.length
    if (length > unpackedLimit)
      throw new SessionError(
        'TooLarge',
        `${path} unpacks to more than 16 GiB. Nothing was imported; unpack it and choose the files you want.`,
      )
    yield piece
  }
}
