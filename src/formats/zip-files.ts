import { Zip, ZipDeflate, ZipPassThrough } from 'fflate'
import { SessionError } from '../contract/errors.ts'
import type { SourceFile } from '../contract/job.ts'
import { createBreather } from '../pacing/breather.ts'
import { abortError, readBytes } from './byte-source.ts'

/** Bytes to compress per step, which takes a few milliseconds. */
const pieceBytes = 64 * 1024

/**
 * The earliest time in a zip. It is used for all files, so that the same files give the same zip whenever it is made.
 */
const time = new Date(1980, 0, 1)

/** The largest numbers in a zip. */
const limits = { files: 65_535, bytes: 2 ** 32 - 1 }

/** A file to be packed. */
export interface PackedFile extends SourceFile {
  /** Whether its bytes are compressed already, like pictures: they are stored unchanged. */
  readonly isPacked?: boolean
}

/**
 * Packs files into a zip and yields its bytes as they are produced: only one piece of one file and the list of earlier
 * files are in memory.
 *
 * @throws Aborted; TooLarge for more than 65,535 files or 4 GiB, the limits of a zip
 */
export async function* zipBytes(
  files: AsyncIterable<PackedFile>,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const breathe = createBreather()
  const parts: Uint8Array<ArrayBuffer>[] = []
  const zip = new Zip((error, data) => {
    if (error) throw error
    parts.push(data as Uint8Array<ArrayBuffer>)
  })
  let count = 0
  let bytes = 0
  function* out(): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    for (const part of parts.splice(0)) {
      bytes += part.length
      yield part
    }
    if (count > limits.files || bytes > limits.bytes) {
      throw new SessionError(
        'TooLarge',
        `The archive would have over ${count > limits.files ? '65,535 files' : '4 GiB'}, more than a zip can hold. Export fewer sessions at a time.`,
      )
    }
  }
  for await (const { path, blob, isPacked = false } of files) {
    count += 1
    const entry = isPacked ? new ZipPassThrough(path) : new ZipDeflate(path)
    entry.mtime = time
    zip.add(entry)
    for await (const piece of readBytes(blob.stream())) {
      for (let from = 0; from < piece.length; from += pieceBytes) {
        // A copy, because fflate keeps a reference to it.
        entry.push(piece.slice(from, from + pieceBytes))
        yield* out()
        const pause = breathe()
        if (pause !== undefined) await pause
        if (signal?.aborted) throw abortError('export')
      }
    }
    entry.push(new Uint8Array(), true)
    yield* out()
  }
  zip.end()
  yield* out()
}

/**
 * Packs files into a zip. The archive is kept in memory, the files only one after the other.
 *
 * @throws Aborted; TooLarge, as {@link zipBytes}
 */
export async function zipFiles(files: AsyncIterable<PackedFile>, signal?: AbortSignal): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  for await (const part of zipBytes(files, signal)) parts.push(part)
  return new Blob(parts, { type: 'application/zip' })
}
