import { Unzip, type UnzipDecoder, UnzipInflate, UnzipPassThrough } from 'fflate'
import { SessionError } from '../contract/errors.ts'
import type { SourceFile } from '../contract/job.ts'
import type { ByteSource } from './byte-source.ts'
import { readBytes } from './byte-source.ts'

/** A file that was found. It must be read before the next one is requested. */
export interface FoundFile {
  readonly path: string
  readonly bytes: ByteSource
}

export interface WalkOptions {
  /** Whether a file is to be read. Other files take no memory. */
  readonly isWanted: (path: string) => boolean
  readonly signal: AbortSignal | undefined
  /** Called with bytes of the source that were read. */
  readonly onRead: (bytes: number) => void
}

/** Compressed bytes per step: they may unpack to a thousand times as many. */
const inflatedAtOnce = 16 * 1024

/**
 * Iterates over the files of a source, including those of archives: by path, and within an archive in its order.
 *
 * @throws Aborted; InvalidInput when a file can't be read
 */
export async function* walkFiles(
  files: readonly SourceFile[],
  options: WalkOptions,
): AsyncGenerator<FoundFile, void, undefined> {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  for (const { path, blob } of sorted) {
    if (await isArchive(path, blob)) yield* walkArchive(path, blob, options)
    else if (options.isWanted(path))
      yield { path, bytes: counted(readBytes(blob.stream(), options.signal), options.onRead) }
  }
}

async function* counted(
  bytes: AsyncIterable<Uint8Array>,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of bytes) {
    onRead(piece.length)
    yield piece
  }
}

async function isArchive(path: string, blob: Blob): Promise<boolean> {
  if (path !== '' && !/\.zip$/i.test(path)) return false
  const [p, k, kind] = new Uint8Array(await blob.slice(0, 4).arrayBuffer())
  // The first file, or the end of an archive without any.
  return p === 0x50 && k === 0x4b && (kind === 3 || kind === 5)
}

type ArchiveEvent =
  | { readonly path: string }
  | { readonly data: Uint8Array; readonly isLast: boolean }
  | { readonly error: Error }

async function* walkArchive(
  archive: string,
  blob: Blob,
  { isWanted, signal, onRead }: WalkOptions,
): AsyncGenerator<FoundFile, void, undefined> {
  const events: ArchiveEvent[] = []
  const unzip = new Unzip((file) => {
    const path = archive === '' ? file.name : `${archive.replace(/\.zip$/i, '')}/${file.name}`
    if (isWanted(path)) events.push({ path })
    file.ondata = (error, data, isLast) => {
      if (!isWanted(path)) return
      events.push(error ? { error } : { data, isLast })
    }
    file.start()
  })
  const wants = (name: string): boolean => isWanted(archive === '' ? name : `${archive.replace(/\.zip$/i, '')}/${name}`)
  unzip.register(sparing(UnzipInflate, wants))
  unzip.register(sparing(UnzipPassThrough, wants))
  const source = pieces(counted(readBytes(blob.stream(), signal), onRead))
  let isEnded = false

  async function next(): Promise<ArchiveEvent | undefined> {
    while (events.length === 0 && !isEnded) {
      const { done = false, value } = await source.next()
      isEnded = done
      try {
        unzip.push(done ? new Uint8Array() : value!, done)
      } catch (error) {
        events.push({ error: error as Error })
      }
    }
    const event = events.shift()
    if (event !== undefined && 'error' in event) {
      throw new SessionError(
        'InvalidInput',
        `The archive ${archive} can't be read: ${event.error.message}. Unpack it and import the folder.`,
        { cause: event.error },
      )
    }
    return event
  }

  async function* content(): AsyncGenerator<Uint8Array, void, undefined> {
    for (let event = await next(); event !== undefined && 'data' in event; event = await next()) {
      if (event.data.length > 0) yield event.data
      if (event.isLast) return
    }
  }

  try {
    for (let event = await next(); event !== undefined; event = await next()) {
      if ('path' in event) yield { path: event.path, bytes: content() }
    }
  } finally {
    await source.return()
  }
}

async function* pieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of bytes) {
    for (let from = 0; from < piece.length; from += inflatedAtOnce) yield piece.subarray(from, from + inflatedAtOnce)
  }
}

/** A decoder that skips unwanted files, whose content fflate would otherwise keep in memory. */
function sparing(Decoder: { new (): UnzipDecoder; readonly compression: number }, wants: (name: string) => boolean) {
  return class implements UnzipDecoder {
    static readonly compression = Decoder.compression
    readonly #decoder: UnzipDecoder | undefined
    ondata!: UnzipDecoder['ondata']

    constructor(name: string) {
      if (wants(name)) this.#decoder = new Decoder()
    }

    push(data: Uint8Array, isLast: boolean): void {
      if (this.#decoder === undefined) return
      this.#decoder.ondata = this.ondata
      this.#decoder.push(data, isLast)
    }
  }
}
