import type { Doc } from 'yjs'
import type { VersionVector } from '../contract/entry.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import type { TermOptions } from '../contract/term.ts'
import { covers } from '../domain/version-vector.ts'
import type { BlobExchange } from './blob-exchange.ts'
import type { ElementCodec } from './element-codec.ts'
import type { Refusal } from './ingest.ts'
import { createLogProjection } from './log-projection.ts'
import { readWholeLog } from './read-whole-log.ts'
import { receiveUpdate } from './receive-update.ts'
import { createTaskQueue } from './task-queue.ts'

/** The result of taking in an update from elsewhere. */
export interface ReceiveReport {
  /** Entries that were stored now. */
  readonly added: number
  readonly known: number
  /** What was not accepted, and why. Nothing of it was stored. */
  readonly quarantined: readonly Refusal[]
  /**
   * How many entries were sealed with a key that is not here. They were neither stored nor refused: the state vector
   * still asks for them.
   */
  readonly sealed: number
  /** Whether something before it is missing: ask the other side again. */
  readonly hasGap: boolean
  /** How far the sender is with the writers of this update. */
  readonly theirs: VersionVector
  /** Why the store accepted nothing (more). Nothing is lost: the state vector still asks for it. */
  readonly error?: Error
}

export interface SyncDocumentOptions extends TermOptions {
  readonly store: Pick<SessionStore, 'changes' | 'merge' | 'flush'>
  /** Key of the session. */
  readonly key: string
  /** Name of the document. */
  readonly name: string
  readonly elements: ElementCodec
  /**
   * What was purged before the session was restarted: the document has holes in its place, whatever was there before.
   * Later entries of those writers belong to the purged session, too, and are not accepted.
   */
  readonly erased?: VersionVector | undefined
  /** Copies the blobs that entries name. */
  readonly blobs?: Pick<BlobExchange, 'send' | 'fetch'>
}

/** A session while it is synced: its log in the store, and the document that is made of it. */
export interface SyncDocument {
  readonly doc: Doc
  /** How far each writer is in the document. */
  vector(): VersionVector
  /** Takes in an update from elsewhere: it is checked, stored, then projected. Never rejects. */
  receive(update: Uint8Array, origin: unknown): Promise<ReceiveReport>
  /**
   * Puts new entries of the log into the document, from which a transport sends them on. First they are made safe from
   * power loss: if this device lost entries that others have seen, its next entries would have the same addresses.
   *
   * @returns how many entries; none where an earlier call has not started yet and takes them along
   */
  publish(): Promise<number>
  /** Resolves when nothing is under way any more. */
  close(): Promise<void>
}

/** Reads a session's log and projects it. */
export async function openSyncDocument(options: SyncDocumentOptions): Promise<SyncDocument> {
  const { store, key, name, elements, erased = {}, blobs } = options
  const projection = createLogProjection({ name, elements, erased })
  // One after the other: entries that were just stored from elsewhere must not be published as new ones of ours.
  const tasks = createTaskQueue()
  let nextPublish: Promise<number> | undefined

  const publish = async (): Promise<number> => {
    nextPublish = undefined
    const entries = await readWholeLog(store, key, projection.vector())
    if (entries.length === 0) return 0
    await Promise.all([store.flush(), blobs?.send(entries)])
    await projection.project(entries, undefined)
    // Entries behind one that is lost here have no place in the document.
    const vector = projection.vector()
    return entries.filter(({ w, s }) => covers(vector, w, s)).length
  }

  await publish()
  return {
    doc: projection.doc,
    vector: projection.vector,
    receive: (update, origin) => tasks.run(() => receiveUpdate(update, origin, projection, options)),
    publish: () => (nextPublish === undefined ? (nextPublish = tasks.run(publish)) : nextPublish.then(() => 0)),
    close: async () => {
      await tasks.done()
      projection.destroy()
    },
  }
}
