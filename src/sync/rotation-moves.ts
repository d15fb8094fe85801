import type { VersionVector } from '../contract/entry.ts'
import { writerKey } from '../domain/address.ts'
import { covers, includesVector } from '../domain/version-vector.ts'
import type { BlobExchange } from './blob-exchange.ts'
import { connectedStore } from './connected-store.ts'
import { createBlobExchange } from './create-blob-exchange.ts'
import { documentIdOf } from './document-id.ts'
import { type EmptyRetiredOptions, emptyRetired } from './empty-retired.ts'
import type { RotationSteps } from './encryption/rotate-keys.ts'
import { sealedBlobs } from './encryption/sealed-blobs.ts'
import { sealedDocumentId } from './encryption/sealed-document-id.ts'
import { sealedElements } from './encryption/sealed-elements.ts'
import type { SyncKeys } from './encryption/sync-keys.ts'
import { fetchSession } from './fetch-session.ts'
import type { IndexDocument } from './index-document.ts'
import type { IndexEntry } from './index-entry.ts'
import type { KeyChangeOptions } from './key-change-options.ts'
import type { RotationList } from './rotation-list.ts'
import { planRotation, type RotationPlan } from './rotation-plan.ts'
import { earliestLife, lifeThere, purgedOf } from './session-standing.ts'
import { untilSettled, uploadSession } from './upload-session.ts'

export interface RotationMovesOptions
  extends Pick<KeyChangeOptions, 'store' | 'transport' | 'namespace' | 'from' | 'to' | 'signal' | 'term' | 'here'> {
  readonly list: RotationList
}

/** Moves single sessions from their document under the old key to one under the new key. */
export interface RotationMoves extends Pick<RotationSteps, 'fetch' | 'upload' | 'retire'> {
  close(): void
}

export function createRotationMoves(options: RotationMovesOptions): RotationMoves {
  const { transport, namespace, from, to, signal, list, here } = options
  const { index } = list
  const oldBlobs = blobsUnder(from, options)
  const newBlobs = blobsUnder(to, options)
  const uploaded = new Map<string, VersionVector>()
  /** Anew for each step: it may be purged or begun anew at any time. */
  const planOf = async (key: string, oldId: string): Promise<RotationPlan | undefined> => {
    const old = index.entries().get(oldId)
    return old && planRotation(key, old, index.entries().get(await sealedDocumentId(key, to)), here)
  }

  return {
    fetch: async (key) => {
      const plan = await planOf(key, await sealedDocumentId(key, from))
      const blobs: Pick<BlobExchange, 'send' | 'fetch'> = {
        send: async (entries) => oldBlobs.fetch(entries),
        fetch: oldBlobs.fetch,
      }
      for (const life of plan?.lives ?? [])
        await fetchSession({ ...(await documentUnder(from, key, life, plan!, options)), blobs, signal })
      await untilSettled(oldBlobs, signal)
    },
    upload: async (key) => {
      const plan = await planOf(key, await sealedDocumentId(key, from))
      if (plan === undefined) return
      if (plan.lives.length > 0)
        uploaded.set(key, await uploadSession(await documentUnder(to, key, plan.life, plan, options), newBlobs, signal))
      await publishUnder(await sealedDocumentId(key, to), entryIn(plan), index)
      await list.confirmed()
    },
    retire: async (key) => {
      const oldId = await sealedDocumentId(key, from)
      const plan = await planOf(key, oldId)
      if (plan === undefined) return
      await emptyLives(plan, uploaded.get(key) ?? {}, (life, isElsewhere) =>
        emptyRetired({ transport, signal, name: `${namespace}/s/${documentIdOf(oldId, life)}`, isElsewhere }),
      )
      await index.forget(new Set([oldId]))
    },
    close: () => {
      oldBlobs.close()
      newBlobs.close()
    },
  }
}

/** The document of one life of a session, and what may be taken in from there: nothing, once it is begun anew here. */
async function documentUnder(
  keys: SyncKeys,
  key: string,
  life: number,
  { entry, having }: RotationPlan,
  { store, transport, namespace, signal, term }: RotationMovesOptions,
) {
  const id = documentIdOf(await sealedDocumentId(key, keys), life)
  return {
    key,
    name: `${namespace}/s/${id}`,
    elements: sealedElements(keys, id),
    erased: purgedOf(life, entry),
    store: connectedStore(store, { having, isClosed: () => signal.aborted }),
    transport,
    ...(term === undefined ? {} : { term }),
  }
}

/**
 * Empties the documents of this life and the earlier ones: of what was uploaded, of what was purged, and of what its
 * writer keeps, because it was on its way at a purge or is of a life that is over.
 */
async function emptyLives(
  { entry, life, lives }: RotationPlan,
  uploaded: VersionVector,
  empty: (life: number, isElsewhere: EmptyRetiredOptions['isElsewhere']) => Promise<void>,
): Promise<void> {
  for (let one = life; one >= earliestLife(life); one--) {
    const isOver = lives.length === 0 || one < lifeThere(entry)
    const erased = purgedOf(one, entry) ?? {}
    await empty(one, (w, s) => isOver || covers(uploaded, w, s) || (erased[writerKey(w)] ?? 0) > 0)
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

/** What the list says once the session is moved: a life that was begun here is told with it. */
function entryIn({ entry, life }: RotationPlan): IndexEntry {
  if (life === lifeThere(entry)) return entry
  const { purged: _, ...kept } = entry
  return { ...kept, life }
}

/** Sync finds out later what the session is now, because its hash has changed. @param id - under the new key */
async function publishUnder(id: string, { hp: _, hc: __, ...value }: IndexEntry, index: IndexDocument): Promise<void> {
  const there = index.entries().get(id)
  const isKnown =
    there !== undefined &&
    lifeThere(there) >= lifeThere(value) &&
    includesVector(there.purged ?? {}, value.purged ?? {}) &&
    (there.hash !== '' || value.hash === '')
  if (!isKnown) await index.publish([[id, value]])
}
