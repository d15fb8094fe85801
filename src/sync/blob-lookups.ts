import type { createBlobCopier } from './blob-copier.ts'
import type { BlobExchangeOptions } from './blob-exchange.ts'
import type { BlobTasks } from './blob-tasks.ts'

export interface BlobLookupsOptions {
  readonly store: BlobExchangeOptions['store']
  readonly copier: ReturnType<typeof createBlobCopier>
  readonly tasks: BlobTasks
}

/** Finds out whether a blob is here, and has it sent or fetched. */
export interface BlobLookups {
  /** @returns the sending, if the blob is to be sent */
  carry(hash: string, isOurs: boolean): Promise<void>
  /**
   * Hashes that are being looked up, before it is known what to do. By look-up, because a hash may be looked up twice.
   */
  running(): ReadonlyMap<Promise<void>, string>
}

export function createBlobLookups({ store, copier, tasks }: BlobLookupsOptions): BlobLookups {
  const running = new Map<Promise<void>, string>()
  const lookUp = async (hash: string, isOurs: boolean): Promise<void> => {
    // Bytes that cannot be read any more are treated as missing: the other side may have them intact.
    const here = await store.getBlob(hash).catch(() => undefined)
    if (here === undefined) void tasks.start(hash, 'fetch', () => copier.fetch(hash))
    else if (isOurs || tasks.failed().has(hash)) await tasks.start(hash, 'send', () => copier.send(hash, here))
  }
  return {
    carry: (hash, isOurs) => {
      if (tasks.isDone(hash) || tasks.isClosed()) return Promise.resolve()
      const run = lookUp(hash, isOurs).finally(() => running.delete(run))
      running.set(run, hash)
      return run
    },
    running: () => running,
  }
}
