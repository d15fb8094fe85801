import type { VersionVector } from '../contract/entry.ts'
import { covers } from '../domain/version-vector.ts'
import type { BlobExchange } from './blob-exchange.ts'
import type { KeyChangeOptions } from './change-keys.ts'
import { createBlobExchange } from './create-blob-exchange.ts'
import { emptyRetired } from './empty-retired.ts'
import type { RotationSteps } from './encryption/rotate-keys.ts'
import { sealedBlobs } from './encryption/sealed-blobs.ts'
import { sealedDocumentId } from './encryption/sealed-document-id.ts'
import { sealedElements } from './encryption/sealed-elements.ts'
import type { SyncKeys } from './encryption/sync-keys.ts'
import { fetchSession } from './fetch-session.ts'
import type { IndexEntry } from './index-entry.ts'
import { isGone } from './is-gone.ts'
import { openExchange } from './open-exchange.ts'
import type { RotationList } from './rotation-list.ts'
import { openSessionLink } from './session-link.ts'

export interface RotationMovesOptions
  extends Pick<KeyChangeOptions, 'store' | 'transport' | 'namespace' | 'from' | 'to' | 'signal' | 'term'> {
  readonly list: RotationList
}

/** Moves single sessions from their document under the old key to one under the new key. */
export interface RotationMoves extends Pick<RotationSteps, 'fetch' | 'upload' | 'retire'> {
  close(): void
}

export function createRotationMoves({
  store,
  transport,
  namespace,
  from,
  to,
  signal,
  list,
  ...term
}: RotationMovesOptions): RotationMoves {
  const { index } = list
  const blobsUnder = (keys: SyncKeys): BlobExchange =>
    createBlobExchange({
      store,
      blobs: transport.blobs && sealedBlobs(keys, transport.blobs),
      namespace,
      onChange: () => undefined,
    })
  const oldBlobs = blobsUnder(from)
  const newBlobs = blobsUnder(to)
  const uploaded = new Map<string, VersionVector>()
  const documentOf = async (key: string, keys: SyncKeys): Promise<{ id: string; name: string }> => {
    const id = await sealedDocumentId(key, keys)
    return { id, name: `${namespace}/s/${id}` }
  }
  const entryOf = async (key: string): Promise<IndexEntry | undefined> =>
    index.entries().get(await sealedDocumentId(key, from))
  const isPurged = async (key: string): Promise<boolean> => {
    const entry = await entryOf(key)
    return entry !== undefined && isGone(entry)
  }

  const uploadLog = async (key: string, id: string, name: string): Promise<void> => {
    const unsent = newBlobs.unsent()
    const vector = await openExchange<VersionVector>(signal, (resolve, reject) =>
      openSessionLink({
        store,
        key,
        name,
        elements: sealedElements(to, id),
        blobs: newBlobs,
        transport,
        ...term,
        onSent: () => undefined,
        onReport: ({ sealed }) => sealed > 0 && reject(new Error('its new document has entries of yet another key')),
        onSynced: resolve,
        onTrouble: (trouble) =>
          reject(new Error('message' in trouble ? trouble.message : `the connection is ${trouble.state}`)),
      }),
    )
    await newBlobs.settled()
    if (transport.blobs !== undefined && newBlobs.unsent() > unsent)
      throw new Error('not all of its attachments could be sent')
    uploaded.set(key, vector)
  }

  return {
    fetch: async (key) => {
      if (await isPurged(key)) return
      const { id, name } = await documentOf(key, from)
      const blobs: Pick<BlobExchange, 'send' | 'fetch'> = {
        send: async (entries) => oldBlobs.fetch(entries),
        fetch: oldBlobs.fetch,
      }
      await fetchSession({ store, key, name, elements: sealedElements(from, id), blobs, transport, signal, ...term })
      await oldBlobs.settled()
    },
    upload: async (key) => {
      const entry = await entryOf(key)
      const { id, name } = await documentOf(key, to)
      if (entry === undefined || !isGone(entry)) await uploadLog(key, id, name)
      // Sync finds out later what the session is now, because its hash has changed.
      const { hp: _, hc: __, ...value } = entry ?? { hp: 0, hc: 0 }
      if ('key' in value && (value.purged !== undefined || !index.entries().has(id))) await index.publish([[id, value]])
      await list.confirmed()
    },
    retire: async (key) => {
      const { id, name } = await documentOf(key, from)
      const isAllPurged = await isPurged(key)
      const vector = uploaded.get(key) ?? {}
      await emptyRetired({ transport, signal, name, isElsewhere: (w, s) => isAllPurged || covers(vector, w, s) })
      await index.forget(new Set([id]))
    },
    close: () => {
      oldBlobs.close()
      newBlobs.close()
    },
  }
}
