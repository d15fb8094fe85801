import { encodeStateVector } from 'yjs'
import { SessionError } from '../contract/errors.ts'
import type { SessionStore } from '../contract/store.ts'
import type { TermOptions } from '../contract/term.ts'
import type { VersionVector } from '../contract/entry.ts'
import { covers } from '../domain/version-vector.ts'
import type { BlobExchange } from './blob-exchange.ts'
import { createBlobExchange } from './create-blob-exchange.ts'
import { keyStanding } from './encryption/key-standing.ts'
import { openRetiredDocument } from './encryption/retired-document.ts'
import { rotateKeys, type RotationProgress, type RotationReport } from './encryption/rotate-keys.ts'
import { sealedBlobs } from './encryption/sealed-blobs.ts'
import { sealedCodec } from './encryption/sealed-codec.ts'
import { sealedElements } from './encryption/sealed-elements.ts'
import { sealedDocumentId } from './encryption/sealed-document-id.ts'
import type { SyncKeys } from './encryption/sync-keys.ts'
import { fetchSession } from './fetch-session.ts'
import { hasAll } from './has-all.ts'
import { openIndexDocument } from './index-document.ts'
import type { IndexEntry } from './index-entry.ts'
import { isGone } from './is-gone.ts'
import { keepConnected } from './keep-connected.ts'
import type { LinkStatus, SyncTransport } from './link.ts'
import { openExchange } from './open-exchange.ts'
import { readStateVector } from './read-state-vector.ts'
import type { RetryOptions } from './retry-wait.ts'
import { openSessionLink } from './session-link.ts'
import { waitUntil } from './wait-until.ts'

export interface KeyChangeOptions extends TermOptions {
  readonly store: Pick<SessionStore, 'changes' | 'merge' | 'flush' | 'getBlob' | 'putBlob'>
  readonly transport: SyncTransport
  readonly namespace: string
  /** The list of sessions, with what was said here and is not sent yet. */
  readonly state: Uint8Array
  readonly from: SyncKeys
  readonly to: SyncKeys
  readonly retry: RetryOptions
  readonly now: () => number
  readonly onProgress?: ((progress: RotationProgress) => void) | undefined
  readonly signal: AbortSignal
}

/**
 * `rotateKeys` over a transport of which nothing else is open. Blobs are put under the new key as well; under the old one they stay on the server, which
 * nobody can ask to forget any.
 *
 * @throws as `rotateKeys` does; WrongPassphrase when the old key is none of this namespace; AccessDenied
 */
export async function changeKeys({ store, transport, namespace, state, from, to, retry, now, onProgress, signal, ...term }: KeyChangeOptions): Promise<RotationReport> {
  const listeners = new Set<() => void>()
  const changed = (): void => listeners.forEach((listener) => listener())
  let link: LinkStatus = { state: 'connecting' }
  let hasList = false
  let theirList: ReadonlyMap<number, number> | undefined
  let answers = 0

  const obstacle = (): SessionError | undefined => {
    if (signal.aborted) return new SessionError('Aborted', 'The change of keys was stopped. Call it again for the rest.')
    return link.state === 'denied' ? new SessionError('AccessDenied', `The other side refuses us: ${link.message}. Sign in again.`) : undefined
  }
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const until = (isSo: () => boolean): Promise<void> => waitUntil(isSo, { subscribe, obstacle, signal })

  const index = await openIndexDocument({ name: `${namespace}/index`, codec: sealedCodec([to, from]).index, now, state, onChange: changed })
  const connection = keepConnected(
    transport,
    {
      name: `${namespace}/index`,
      doc: index.doc,
      receive: async (update, origin) => {
        // What is no list is the business of sync, which reports it.
        await index.receive(update, origin).catch(() => undefined)
        hasList = true
        changed()
      },
      peerHas: (stateVector) => {
        theirList = readStateVector(stateVector)
        answers += 1
        changed()
      },
      status: (status) => {
        link = status
        if (status.state !== 'connected') theirList = undefined
        changed()
      },
    },
    retry,
  )
  /** The other side has what the list says here. Deletions are in no state vector: of two answers the second one is to a question that came behind them. */
  const isTold = async (): Promise<void> => {
    for (let i = 0; i < 2; i++) {
      const before = answers
      connection.ask()
      await until(() => answers > before && theirList !== undefined)
    }
    if (!hasAll(theirList ?? new Map(), readStateVector(encodeStateVector(index.doc)))) {
      connection.ask()
      await until(() => theirList !== undefined && hasAll(theirList, readStateVector(encodeStateVector(index.doc))))
    }
  }

  const exchangeOf = (keys: SyncKeys): BlobExchange => createBlobExchange({ store, blobs: transport.blobs && sealedBlobs(keys, transport.blobs), namespace, onChange: () => undefined })
  const before = exchangeOf(from)
  const after = exchangeOf(to)
  const uploaded = new Map<string, VersionVector>()
  const nameOf = async (key: string, keys: SyncKeys): Promise<{ id: string; name: string }> => {
    const id = await sealedDocumentId(key, keys)
    return { id, name: `${namespace}/s/${id}` }
  }
  const saidOf = async (key: string): Promise<IndexEntry | undefined> => index.entries().get(await sealedDocumentId(key, from))

  const isGoneEverywhere = async (key: string): Promise<boolean> => {
    const said = await saidOf(key)
    return said !== undefined && isGone(said)
  }

  const fetch = async (key: string): Promise<void> => {
    if (await isGoneEverywhere(key)) return
    const { id, name } = await nameOf(key, from)
    await fetchSession({ store, key, name, elements: sealedElements(from, id), blobs: { send: async (entries) => before.fetch(entries), fetch: before.fetch }, transport, signal, ...term })
    await before.settled()
  }

  const upload = async (key: string): Promise<void> => {
    const said = await saidOf(key)
    const { id, name } = await nameOf(key, to)
    if (said === undefined || !isGone(said)) {
      const unsent = after.unsent()
      const vector = await openExchange<VersionVector>(signal, (resolve, reject) =>
        openSessionLink({
          store, key, name, elements: sealedElements(to, id), blobs: after, transport, ...term,
          onSent: () => undefined,
          onReport: ({ sealed }) => sealed > 0 && reject(new Error('its new document has entries of yet another key')),
          onSynced: resolve,
          onTrouble: (trouble) => reject(new Error('message' in trouble ? trouble.message : `the connection is ${trouble.state}`)),
        }),
      )
      await after.settled()
      if (transport.blobs !== undefined && after.unsent() > unsent) throw new Error('not all of its attachments could be sent')
      uploaded.set(key, vector)
    }
    // What it is now, sync finds out: its hash is another one.
    const { hp: _, hc: __, ...value } = said ?? { hp: 0, hc: 0 }
    if ('key' in value && (value.purged !== undefined || !index.entries().has(id))) await index.publish([[id, value]])
    await isTold()
  }

  const retire = async (key: string): Promise<void> => {
    const { id, name } = await nameOf(key, from)
    const isPurged = await isGoneEverywhere(key)
    const vector = uploaded.get(key) ?? {}
    const retired = openRetiredDocument(name, (w, s) => isPurged || covers(vector, w, s))
    try {
      await openExchange<void>(signal, async (resolve, reject) => {
        let left = 2
        let hasCome = false
        const open = transport.open({
          name,
          doc: retired.doc,
          receive: async (update, origin) => {
            await retired.receive(update, origin)
            if (hasCome) return
            hasCome = true
            open.ask()
          },
          peerHas: () => {
            if (!hasCome) return
            left -= 1
            if (left > 0) open.ask()
            else resolve()
          },
          status: (status) => {
            if (status.state !== 'connecting' && status.state !== 'connected') reject(new Error('message' in status ? status.message : `the connection is ${status.state}`))
          },
        })
        return open
      })
      if (retired.left() > 0) throw new Error(`${retired.left()} entries under the old key came after the session was put under the new one`)
    } finally {
      retired.destroy()
    }
    await index.forget(new Set([id]))
  }

  try {
    await until(() => hasList)
    const standing = await keyStanding(index.marks().records, [from, to])
    if (standing.state === 'wrongKey' || standing.state === 'replaced' || (standing.state === 'first' && index.marks().sealed > 0)) {
      throw new SessionError('WrongPassphrase', `The sessions of ${JSON.stringify(namespace)} are not under the key that is to be changed. Nothing was done. Pair this device with one that has the key in use.`)
    }
    return await rotateKeys({
      from, to, signal,
      ...(onProgress === undefined ? {} : { onProgress }),
      steps: {
        records: async () => index.marks().records,
        announce: async (record) => {
          await index.addRecord(record)
          await isTold()
        },
        sessions: async () => {
          const all = await Promise.all([...index.entries()].map(async ([id, { key }]) => ((await sealedDocumentId(key, from)) === id ? [key] : [])))
          return all.flat()
        },
        fetch, upload, retire,
      },
    })
  } finally {
    // What was taken out of the list is to be gone there, too; where it can't be now, the next call finds it again.
    if (hasList && !signal.aborted) await isTold().catch(() => undefined)
    before.close()
    after.close()
    await connection.close()
  }
}
