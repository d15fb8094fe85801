import type { IndexBlocks, IndexedSession, StoredIndex } from './index-blocks.ts'
import { segmentChecksum } from './segment-checksum.ts'
import type { Segment } from './segment.ts'

/** Goes up with every change of what is stored, and of how texts are taken apart: an index of another format is made anew. */
const format = 2

const stores = ['info', 'segments', 'dead', 'sessions'] as const
const infoKey = 'index'

interface InfoRow {
  readonly format: number
  /** Epoch of the database that was indexed. */
  readonly epoch: string
  /** Segments that belong to the index. */
  readonly ids: readonly number[]
}

interface SegmentRow {
  readonly segment: Segment
  readonly checksum: number
}

/** Where an index is kept, and of which database. */
export interface IndexDatabaseOptions {
  readonly name: string
  readonly epoch: string
  /** Default: the global one. */
  readonly indexedDB?: IDBFactory
}

/**
 * Keeps an index in a database of its own: it can be lost or thrown away without harm, at any time, and never stands in the way of the
 * sessions' own database and its format. What is damaged, of another format or of another database is not given back.
 *
 * @throws the browser's error when the database can't be opened
 */
export async function openIndexDatabase({ name, epoch, indexedDB = globalThis.indexedDB }: IndexDatabaseOptions): Promise<IndexBlocks> {
  const database = await open(indexedDB, name)
  // Whoever deletes it is not held up.
  database.onversionchange = () => database.close()

  return {
    load: async (breathe) => {
      const transaction = database.transaction(stores, 'readonly')
      const [info, deadIds, dead, sessions] = await Promise.all([
        asked<InfoRow | undefined>(transaction.objectStore('info').get(infoKey)),
        asked(transaction.objectStore('dead').getAllKeys()),
        asked<Uint8Array[]>(transaction.objectStore('dead').getAll()),
        asked<IndexedSession[]>(transaction.objectStore('sessions').getAll()),
      ])
      if (info?.format !== format || info.epoch !== epoch) return undefined
      const marks = new Map(deadIds.map((id, i) => [id as number, dead[i]!]))
      const found: StoredIndex['segments'][number][] = []
      for (const id of info.ids) {
        // Singly, as each takes some milliseconds. Nobody but the one tab that keeps the index changes them meanwhile.
        const row = await asked<SegmentRow | undefined>(database.transaction('segments', 'readonly').objectStore('segments').get(id))
        const one = checked(row, marks.get(id))
        if (one === undefined) return undefined
        found.push({ id, ...one })
        await breathe()
      }
      return { segments: found, sessions }
    },
    save: ({ ids, added, dead, sessions, gone }) =>
      new Promise<void>((resolve, reject) => {
        const transaction = database.transaction(stores, 'readwrite', { durability: 'relaxed' })
        transaction.oncomplete = () => resolve()
        transaction.onabort = () => reject(transaction.error ?? new Error('The index could not be stored.'))
        const [info, segments, deadRows, sessionRows] = stores.map((store) => transaction.objectStore(store)) as [IDBObjectStore, IDBObjectStore, IDBObjectStore, IDBObjectStore]
        const known = new Set<IDBValidKey>(ids)
        const request = info.get(infoKey)
        request.onsuccess = () => {
          const before = request.result as Partial<InfoRow> | undefined
          const isSame = before?.format === format && before.epoch === epoch
          // What belongs to another index is none of this one's.
          if (!isSame) for (const store of [segments, deadRows, sessionRows]) store.clear()
          else for (const id of before.ids ?? []) if (!known.has(id)) for (const store of [segments, deadRows]) store.delete(id)
          for (const { id, segment } of added) segments.put({ segment, checksum: segmentChecksum(segment) } satisfies SegmentRow, id)
          for (const { id, dead: marks } of [...added, ...dead]) deadRows.put(marks, id)
          for (const session of sessions) sessionRows.put(session, session.number)
          for (const number of gone) sessionRows.delete(number)
          info.put({ format, epoch, ids } satisfies InfoRow, infoKey)
        }
      }),
    close: () => database.close(),
  }
}

function open(factory: IDBFactory, name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = factory.open(name, 1)
    request.onupgradeneeded = () => {
      for (const store of stores) request.result.createObjectStore(store)
    }
    request.onsuccess = () => resolve(request.result)
    request.onerror = (event) => {
      event.preventDefault()
      reject(request.error ?? new Error(`The database "${name}" could not be opened.`))
    }
  })
}

const asked = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('The index could not be read.'))
  })

/** A segment as it was stored, or nothing. */
function checked(row: SegmentRow | undefined, dead: Uint8Array | undefined): { readonly segment: Segment; readonly dead: Uint8Array } | undefined {
  try {
    if (row === undefined || dead === undefined) return undefined
    const isWhole = segmentChecksum(row.segment) === row.checksum && dead.length === row.segment.documents.lengths.length
    return isWhole ? { segment: row.segment, dead } : undefined
  } catch {
    return undefined
  }
}
