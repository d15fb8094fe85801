import { SessionError } from '../../../contract/errors.ts'
import type { BlobTransport, SyncConnection, SyncTransport } from '../../link.ts'
import { relayBlobs } from './relay-blobs.ts'
import { openRelayLine } from './relay-line.ts'
import type { RelayStore } from './relay-store.ts'

export interface RelayTransportOptions {
  readonly store: RelayStore
  /** Wait between two looks at a document's folder, in milliseconds. Default 5,000. */
  readonly pollMs?: number
  /**
   * Name of this device in the names of its files: letters, digits, `_` and `-`. Use the same at each start, so that
   * files of earlier runs can be joined, and a different one on each device. Default: one for this run only.
   */
  readonly device?: string
}

/**
 * Sync without a server: each device puts new content into files of its own, and reads those of the others. The name of
 * a file says who wrote it, what it holds and the hash of its content. A device that has many files writes a larger one
 * that holds them all, and removes the small ones the next time, when all others have had time to see the larger one.
 */
export function relayTransport({
  store,
  pollMs = 5_000,
  device = randomName(),
}: RelayTransportOptions): SyncTransport & { readonly blobs: BlobTransport } {
  if (!/^[\w-]{1,40}$/.test(device))
    throw new SessionError(
      'InvalidInput',
      `relayTransport needs a device of 1 to 40 letters, digits, _ and -, not ${JSON.stringify(device)}.`,
    )
  if (!(pollMs >= 1 && pollMs <= 2 ** 31 - 1))
    throw new SessionError('InvalidInput', `relayTransport needs pollMs to be 1 ms or more, not ${pollMs}.`)
  const connections = new Set<SyncConnection>()
  const sound = new Set<string>()
  return {
    open: (link) => {
      const connection = openRelayLine({
        link,
        store,
        pollMs,
        device,
        sound,
        onEnd: () => connections.delete(connection),
      })
      connections.add(connection)
      return connection
    },
    blobs: relayBlobs(store),
    close: async () => void (await Promise.all([...connections].map((connection) => connection.close()))),
  }
}

const randomName = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => (byte % 36).toString(36)).join('')
