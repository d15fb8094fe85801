import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'

/** The content is larger than allowed. */
export class TooBig extends Error {}

/**
 * Writes a stream into a new file and hashes it on the way.
 *
 * @param {AsyncIterable<Buffer>} body
 * @param {string} folder - created if it is missing
 * @param {number} limit - bytes
 * @returns {{ path: string, hash: Promise<string> }} SHA-256 in hexadecimal; rejects with `TooBig` beyond the limit.
 *   The caller has to move or remove the file, even if `hash` rejects
 */
export function receiveFile(body, folder, limit) {
  const path = join(folder, randomUUID())
  const digest = createHash('sha256')
  /** @type {import('node:fs/promises').FileHandle | undefined} */
  let file
  /** @param {Buffer} chunk */
  const write = async (chunk) => {
    if (file === undefined) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      file = await open(path, 'wx')
    }
    await file.writeFile(chunk)
    digest.update(chunk)
  }

  const receive = async () => {
    let size = 0
    /** @type {{ readonly error: unknown } | undefined} */
    let failure
    try {
      await write(Buffer.alloc(0)).catch((error) => (failure = { error }))
      for await (const chunk of body) {
        size += chunk.length
        // The rest is read and left out: a client gets its answer only once it has sent everything.
        if (size <= limit && failure === undefined) await write(chunk).catch((error) => (failure = { error }))
      }
    } finally {
      await file?.close()
    }
    if (size > limit) throw new TooBig()
    if (failure !== undefined) throw failure.error
    return digest.digest('hex')
  }
  return { path, hash: receive() }
}
