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
import type { IndexDocument } from './index-document.ts'
import type { IndexEntry } from './index-entry.ts'
import { isGone } from './is-gone.ts'
import type { RotationList } from './rotation-list.ts'
import { uploadSession } from './upload-session.ts'

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
  const oldBlobs = blobsUnder(from, { store, transport, namespace })
  const newBlobs = blobsUnder(to, { store, transport, namespace })
  const uploaded = new Map<string, VersionVector>()
  const documentOf = async (key: string, keys: SyncKeys): Promise<{ id: string; name: string }> => {
    const id = await sealedDocumentId(key, keys)
    return { id, name: `${namespace}/s/${id}` }
  }
  /** What the list says of a session under the old key. */
  const entryOf = async (key: string): Promise<IndexEntry | undefined> =>
    list.index.entries().get(await sealedDocumentId(key, from))
  const isPurged = async (key: string): Promise<boolean> => isGoneFrom(await entryOf(key))

  const uploadLog = async (key: string, id: string, name: string): Promise<void> => {
    const moved = { store, key, name, elements: sealedElements(to, id), transport, ...term }
    uploaded.set(key, await uploadSession(moved, newBlobs, signal))
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
      if (!isGoneFrom(entry)) await uploadLog(key, id, name)
      if (entry !== undefined) await publishUnder(id, entry, list.index)
      await list.confirmed()
    },
    retire: async (key) => {
      const { id, name } = await documentOf(key, from)
      const isAllPurged = await isPurged(key)
      const vector = uploaded.get(key) ?? {}
      await emptyRetired({ transport, signal, name, isElsewhere: (w, s) => isAllPurged || covers(vector, w, s) })
      await list.index.forget(new Set([id]))
    },
    close: () => {
      oldBlobs.close()
      newBlobs.close()
    },
  }
}

/** Carries attachments under these keys. */
const blobsUnder = (
  keys: SyncKeys,
  { store, transport, namespace }: Pick<RotationMovesOptions, 'store' | 'transport' | 'namespace'>,
): BlobExchange =>
  createBlobExchange({
    store,
    blobs: transport.blobs && sealedBlobs(keys, transport.blobs),
    namespace,
    onChange: () => undefined,
  })

const isGoneFrom = (entry: IndexEntry | undefined): boolean => entry !== undefined && isGone(entry)

/** Sync finds out later what the session is now, because its hash has changed. @param id - under the new key */
async function publishUnder(id: string, { hp: _, hc: __, ...value }: IndexEntry, index: IndexDocument): Promise<void> {
  if ('key' in value && (value.purged !== undefined || !index.entries().has(id))) await index.publish([[id, value]])
}
