import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** The content is larger than allowed. */
export class TooBig extends Error {}

/**
 * Writes a stream into a new file and hashes it on the way.
 *
 * @param {import('node:stream').Readable} body
 * @param {string} folder - created if it is missing
 * @param {number} limit - bytes
 * @returns {{ path: string, hash: Promise<string> }} SHA-256 in hexadecimal; rejects with `TooBig` beyond the limit.
 *   The caller has to move or remove the file, even if `hash` rejects
 */
export function receiveFile(body, folder, limit) {
  const path = join(folder, randomUUID())
  const receive = async () => {
    const digest = createHash('sha256')
    let size = 0
    const count = new Transform({
      transform(/** @type {Buffer} */ chunk, _encoding, done) {
        size += chunk.length
        // The rest is read and left out: a client gets its answer only once it has sent everything.
        if (size > limit) return done()
        digest.update(chunk)
        done(null, chunk)
      },
    })
    await mkdir(folder, { recursive: true })
    await pipeline(body, count, createWriteStream(path))
    if (size > limit) throw new TooBig()
    return digest.digest('hex')
  }
  return { path, hash: receive() }
}
