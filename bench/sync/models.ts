import * as Automerge from '@automerge/automerge'
import { Repo } from '@automerge/automerge-repo'
import { createMergeableStore } from 'tinybase'
import * as Y from 'yjs'
import type { Entry } from '../../src/contract/entry.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import type { ElementCodec } from '../../src/sync/element-codec.ts'
import { drawRootKey } from '../../src/sync/encryption/root-key.ts'
import { sealedElements } from '../../src/sync/encryption/sealed-elements.ts'
import { openSyncKeys } from '../../src/sync/encryption/sync-keys.ts'
import { plainElements } from '../../src/sync/plain-elements.ts'
import { createProjection } from '../../src/sync/projection.ts'
import { openSyncDocument } from '../../src/sync/sync-document.ts'
import { type BenchMessage, ulid } from './message.ts'
import { ours } from './sample.ts'

/** A session as a library keeps it in memory. */
interface Model {
  /** Takes in message number i of those it was made for. @returns bytes that tell another device of it */
  add(i: number): Promise<number> | number
  /** All of it, as it lies on a server or on disk. */
  save(): Uint8Array
}

export interface ModelKind {
  readonly name: string
  /** So many messages at most: more would take it minutes. */
  readonly most?: number
  /** What is made before anything is timed. */
  prepare(messages: readonly BenchMessage[]): Promise<() => Model>
  /** What a new device does with what was saved; what it returns is kept while the heap is measured. */
  load(saved: Uint8Array): Promise<unknown> | unknown
}

const text = new TextEncoder()

export const automergeKind: ModelKind = {
  name: 'Automerge-repo',
  most: 1000,
  prepare: async (messages) => () => {
    const handle = new Repo({}).create<{ messages: unknown[] }>({ messages: [] })
    return {
      add: (i) => {
        handle.change((doc) => void doc.messages.push({ id: ulid(), ...messages[i] }))
        return Automerge.getLastLocalChange(handle.doc())?.length ?? 0
      },
      save: () => Automerge.save(handle.doc()),
    }
  },
  load: async (saved) => {
    const repo = new Repo({})
    const handle = repo.import<{ messages: unknown[] }>(saved)
    await handle.whenReady()
    return [repo, handle.doc().messages.length]
  },
}

export const tinybaseKind: ModelKind = {
  name: 'TinyBase MergeableStore',
  prepare: async (messages) => () => {
    const store = createMergeableStore()
    let live = 0
    store.addDidFinishTransactionListener(
      () => void (live = text.encode(JSON.stringify(store.getTransactionMergeableChanges())).length),
    )
    return {
      add: (i) => {
        store.setRow('messages', ulid(), { ...messages[i] })
        return live
      },
      save: () => text.encode(JSON.stringify(store.getMergeableContent())),
    }
  },
  load: (saved) => createMergeableStore().setMergeableContent(JSON.parse(new TextDecoder().decode(saved))),
}

export const yMapKind: ModelKind = {
  name: 'Y.Map by ULID',
  prepare: async (messages) => () => {
    const doc = new Y.Doc()
    let live = 0
    doc.on('update', (update: Uint8Array) => void (live = update.length))
    return {
      add: (i) => {
        doc.getMap('messages').set(ulid(), messages[i])
        return live
      },
      save: () => Y.encodeStateAsUpdate(doc),
    }
  },
  load: (saved) => {
    const doc = new Y.Doc()
    Y.applyUpdate(doc, saved)
    return doc
  },
}

export const plainKind: ModelKind = ourKind(ours, plainElements)

export async function sealedKind(): Promise<ModelKind> {
  const keys = await openSyncKeys(drawRootKey(), 'bench')
  return ourKind(`${ours}, end-to-end encrypted`, sealedElements(keys, 'sid'))
}

/** The log's own part, which is measured elsewhere, is done before. */
function ourKind(name: string, elements: ElementCodec): ModelKind {
  return {
    name,
    prepare: async (messages) => {
      const entries = await entriesOf(messages)
      return () => {
        const projection = createProjection('bench')
        let live = 0
        projection.doc.on('update', (update: Uint8Array) => void (live = update.length))
        const put = ({ w, s }: Entry, content: unknown): number => {
          projection.add([{ w, s, content }], {}, undefined)
          return live
        }
        return {
          add: (i) => {
            const entry = entries[i]!
            const content = elements.write(entry)
            return content instanceof Promise ? content.then((sealed) => put(entry, sealed)) : put(entry, content)
          },
          save: () => Y.encodeStateAsUpdate(projection.doc),
        }
      }
    },
    load: async (saved) => {
      const document = await openSyncDocument({
        key: 's',
        name: 's',
        elements,
        store: {
          changes: async () => ({ entries: [], vv: {} }),
          merge: async (_, chunk) => ({ added: chunk.length, known: 0, refused: [] }),
          flush: async () => undefined,
        },
      })
      await document.receive(saved, undefined)
      return document
    },
  }
}

async function entriesOf(messages: readonly BenchMessage[]): Promise<readonly Entry[]> {
  const store = createSessionStore(createMemoryBackend())
  for (let from = 0; from < messages.length; from += 1000)
    await store.append('s', messages.slice(from, from + 1000).map((message) => ({ type: 'message', message })) as never)
  const entries: Entry[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await store.changes('s', {}, cursor)
    entries.push(...page.entries)
    if (page.next === undefined) break
    cursor = page.next
  }
  await store.close()
  return entries.filter(({ type }) => type === 'message')
}
