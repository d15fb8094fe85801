import { createSha256 } from '../domain/sha256.ts'
import type { BlobExchangeOptions } from './blob-exchange.ts'

/** Bytes hashed at a time. */
const hashStep = 1 << 20

/** Copies single blobs to the other side, and from there, and counts them. */
export interface BlobCopier {
  /** Rejects when it cannot be sent now. */
  send(hash: string, bytes: Blob): Promise<void>
  /** Rejects when it cannot be had now. */
  fetch(hash: string): Promise<void>
  counts(): { readonly sent: number; readonly received: number }
}

export function createBlobCopier({
  store,
  blobs,
  namespace,
  before,
}: Omit<BlobExchangeOptions, 'onChange'>): BlobCopier {
  let sent = before?.sent ?? 0
  let received = before?.received ?? 0
  return {
    send: async (hash, bytes) => {
      if (blobs === undefined) throw new Error('the transport carries no blobs')
      // An earlier run or another device may have sent it.
      if (await blobs.hasBlob(namespace, hash)) return
      await blobs.putBlob(namespace, hash, bytes)
      sent += 1
    },
    fetch: async (hash) => {
      const bytes = await blobs?.getBlob(namespace, hash)
      if (bytes === undefined || (await hashOf(bytes)) !== hash)
        throw new Error('the other side does not have the blob')
      await store.putBlob(bytes)
      received += 1
    },
    counts: () => ({ sent, received }),
  }
}

async function hashOf(bytes: Blob): Promise<string> {
  const digest = createSha256()
  for (let from = 0; from < bytes.size; from += hashStep) {
    digest.update(new Uint8Array(await bytes.slice(from, from + hashStep).arrayBuffer()))
  }
  return digest.hex()
}
