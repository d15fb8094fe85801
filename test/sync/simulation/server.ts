import * as Y from 'yjs'
import type { Entry } from '../../../src/contract/entry.ts'
import { plainElements } from '../../../src/sync/plain-elements.ts'
import { readUpdate } from '../../../src/sync/read-update.ts'

/** What a server keeps: a document for each session, to which every update is applied unread. */
export interface Server {
  readonly documents: Map<string, Y.Doc>
  document(key: string): Y.Doc
  /** Its state, without what waits for updates that were lost on their way. */
  settledState(key: string): Uint8Array
  /**
   * Whether a purge waits for what its device sent before. What it deletes is deleted here already, as Yjs does that at
   * once; and if that device was wiped, nobody will ever say why.
   */
  hasHeadlessPurge(key: string): boolean
}

/** @param onUpdate - hears what changed a document, and who sent it */
export function createServer(onUpdate: (key: string, update: Uint8Array, from: unknown) => void): Server {
  const documents = new Map<string, Y.Doc>()
  const document = (key: string): Y.Doc => {
    const open = documents.get(key)
    if (open !== undefined) return open
    const doc = new Y.Doc({ guid: key })
    documents.set(key, doc)
    doc.on('update', (update: Uint8Array, from: unknown) => onUpdate(key, update, from))
    return doc
  }
  return {
    documents,
    document,
    settledState: (key) => {
      const { store } = document(key)
      const waiting = [store.pendingStructs, store.pendingDs] as const
      store.pendingStructs = store.pendingDs = null
      const state = Y.encodeStateAsUpdate(document(key))
      ;[store.pendingStructs, store.pendingDs] = waiting
      return state
    },
    hasHeadlessPurge: (key) => {
      const { pendingStructs } = document(key).store
      if (pendingStructs === null) return false
      const { elements } = readUpdate(Y.convertUpdateFormatV2ToV1(pendingStructs.update))
      return elements.some(
        ({ w, s, content }) => (plainElements.read(w, s, content) as Partial<Entry>).type === 'purge',
      )
    },
  }
}
