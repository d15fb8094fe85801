import type { Doc } from 'yjs'
import type { VersionVector } from '../contract/entry.ts'
import { covers } from '../domain/version-vector.ts'
import { createLogProjection } from './log-projection.ts'
import { readWholeLog } from './read-whole-log.ts'
import type { ReceiveReport } from './receive-report.ts'
import { receiveUpdate } from './receive-update.ts'
import type { SyncDocumentOptions } from './sync-document-options.ts'
import { createTaskQueue } from './task-queue.ts'

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
