/** What is written lies apart from every store, in a cache of its own, so that it can be thrown away at once. */
const cacheName = 'keepsession-inspector-filler'
const pieceBytes = 16 * 1024 * 1024

/**
 * Takes all space that the browser gives this origin, until nothing more is taken or the signal aborts. Limit the quota
 * with the developer tools first: the browser's own is a large part of the disk.
 *
 * @returns how many bytes were written
 */
export async function fillQuota(signal: AbortSignal, onProgress: (bytes: number) => void): Promise<number> {
  const cache = await caches.open(cacheName)
  const piece = new Blob([new Uint8Array(pieceBytes)])
  let written = 0
  for (let size = pieceBytes; size >= 1024 && !signal.aborted; ) {
    try {
      // The address is only a name: nothing is ever requested from it.
      await cache.put(`/${cacheName}/${crypto.randomUUID()}`, new Response(piece.slice(0, size)))
      written += size
      onProgress(written)
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== 'QuotaExceededError') throw error
      size /= 4
    }
  }
  return written
}

/** Gives back what {@link fillQuota} took. @returns whether there was anything */
export const freeQuota = (): Promise<boolean> => caches.delete(cacheName)
