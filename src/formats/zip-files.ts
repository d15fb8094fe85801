import { Zip, ZipDeflate } from 'fflate'
import type { SourceFile } from '../contract/job.ts'
import { createBreather } from './breather.ts'
import { readBytes } from './byte-source.ts'

/** Bytes compressed at a time: a few milliseconds. */
const pieceBytes = 64 * 1024

/** What a zip's time can't be before. The same files give the same zip, whenever it is made. */
const time = new Date(1980, 0, 1)

/** Packs files into a zip. The archive is held in memory, the files one after the other. */
export async function zipFiles(files: AsyncIterable<SourceFile>): Promise<Blob> {
  const breathe = createBreather()
  const parts: Uint8Array<ArrayBuffer>[] = []
  const zip = new Zip((error, data) => {
    if (error) throw error
    parts.push(data as Uint8Array<ArrayBuffer>)
  })
  for await (const { path, blob } of files) {
    const entry = new ZipDeflate(path)
    entry.mtime = time
    zip.add(entry)
    for await (const bytes of readBytes(blob.stream())) {
      for (let from = 0; from < bytes.length; from += pieceBytes) {
        // A copy: fflate keeps what it is given.
        entry.push(bytes.slice(from, from + pieceBytes))
        const pause = breathe()
        if (pause !== undefined) await pause
      }
    }
    entry.push(new Uint8Array(), true)
  }
  zip.end()
  return new Blob(parts, { type: 'application/zip' })
}
