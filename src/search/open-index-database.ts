import type { IndexBlocks, IndexedSession, StoredIndex } from './index-blocks.ts'
import type { Segment } from './segment.ts'
import { segmentBytes, segmentOfBytes } from './segment-bytes.ts'
import { segmentChecksum } from './segment-checksum.ts'

/**
 * Must increase with every change of the stored form, and of how texts are split into words. An index of another format
 * is rebuilt.
 */
const format = 2

const stores = ['info', 'segments', 'dead', 'sessions'] as const
const infoKey = 'index'

interface InfoRow {
  readonly format: number
  /** Epoch of the database that was indexed. */
  readonly epoch: string
  /** Ids of the segments of the index. */
  readonly ids: readonly number[]
}

interface SegmentRow {
  /** Bytes when the index is sealed. */
  readonly segment: Segment | Uint8Array<ArrayBuffer>
  readonly checksum: number
}

/** The place of an index, and the database that it belongs to. */
export interface IndexDatabaseOptions {
  readonly name: string
  readonly epoch: string
  /** Absent: the index is plain. */
  readonly sealing?: SegmentSealing | undefined
  /** Default: the global one. */
  readonly indexedDB?: IDBFactory
}

/** Seals the segments of an index. Segments that were sealed with another key do not belong to the index. */
export interface SegmentSealing {
  /** Id of the key. */
  readonly key: string
  seal(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>
  open(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>
}

export const indexName = (name: string): string => `keepsession-search:${name}`

/** Deletes the index of a store. Tabs that have it open continue in memory. */
export function dropIndexDatabase(name: string, indexedDB = globalThis.indexedDB): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(indexName(name))
    request.onsuccess = () => resolve()
    // A tab that the browser has frozen closes it later, and then it is deleted. Nobody can open it before.
    request.onblocked = () => resolve()
    request.onerror = () => reject(request.error ?? new Error('The index could not be deleted.'))
  })
}

/**
 * Stores an index in a database of its own. So it can be lost or deleted without harm at any time, and never affects
 * the database of the sessions or its format. An index that is damaged, of another format, or of another database is
 * not loaded.
 *
 * @throws the browser's error when the database can't be opened
 */
export async function openIndexDatabase({
  name,
  epoch: ofDatabase,
  sealing,
  indexedDB = globalThis.indexedDB,
}: IndexDatabaseOptions): Promise<IndexBlocks> {
  const epoch = sealing === undefined ? ofDatabase : `${ofDatabase} ${sealing.key}`
  const database = await open(indexedDB, name)
  // A deletion by another tab must not wait for this one.
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
      // It is not left to end by itself: when a worker of WebKit is killed meanwhile, the transaction stays open until
      // the page is left, and nothing can be stored.
      transaction.abort()
      if (info?.format !== format || info.epoch !== epoch) return undefined
      const marks = new Map(deadIds.map((id, i) => [id as number, dead[i]!]))
      const found: StoredIndex['segments'][number][] = []
      for (const id of info.ids) {
        // Segments are read one by one, because each takes some milliseconds. Only the one tab that keeps the index
        // changes them.
        const reading = database.transaction('segments', 'readonly')
        const row = await asked<SegmentRow | undefined>(reading.objectStore('segments').get(id))
        reading.abort()
        const one = checked(await opened(row, sealing), marks.get(id))
        if (one === undefined) return undefined
        found.push({ id, ...one })
        await breathe()
      }
      return { segments: found, sessions }
    },
    save: async ({ ids, added, dead, sessions, gone }) => {
      // This happens before the transaction, in which nothing else may be awaited.
      const rows = await Promise.all(
        added.map(async ({ id, segment }) => ({ id, row: await closed(segment, sealing) })),
      )
      return new Promise<void>((resolve, reject) => {
        const transaction = database.transaction(stores, 'readwrite', { durability: 'relaxed' })
        transaction.oncomplete = () => resolve()
        transaction.onabort = () => reject(transaction.error ?? new Error('The index could not be stored.'))
        const [info, segments, deadRows, sessionRows] = stores.map((store) => transaction.objectStore(store)) as [
          IDBObjectStore,
          IDBObjectStore,
          IDBObjectStore,
          IDBObjectStore,
        ]
        const known = new Set<IDBValidKey>(ids)
        const request = info.get(infoKey)
        request.onsuccess = () => {
          const before = request.result as Partial<InfoRow> | undefined
          const isSame = before?.format === format && before.epoch === epoch
          // The rows of another index are dropped.
          if (!isSame) for (const store of [segments, deadRows, sessionRows]) store.clear()
          else
            for (const id of before.ids ?? [])
              if (!known.has(id)) for (const store of [segments, deadRows]) store.delete(id)
          for (const { id, row } of rows) segments.put(row, id)
          for (const { id, dead: marks } of [...added, ...dead]) deadRows.put(marks, id)
          for (const session of sessions) sessionRows.put(session, session.number)
          for (const number of gone) sessionRows.delete(number)
          info.put({ format, epoch, ids } satisfies InfoRow, infoKey)
        }
      })
    },
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

async function closed(segment: Segment, sealing: SegmentSealing | undefined): Promise<SegmentRow> {
  return {
    segment: sealing === undefined ? segment : await sealing.seal(segmentBytes(segment)),
    checksum: sealing === undefined ? segmentChecksum(segment) : 0,
  }
}

async function opened(
  row: SegmentRow | undefined,
  sealing: SegmentSealing | undefined,
): Promise<{ readonly segment: Segment; readonly checksum: number } | undefined> {
  try {
    if (row === undefined || !(row.segment instanceof Uint8Array))
      return row as { segment: Segment; checksum: number } | undefined
    const segment = segmentOfBytes(await sealing!.open(row.segment))
    // The seal has already checked the segment.
    return { segment, checksum: segmentChecksum(segment) }
  } catch {
    return undefined
  }
}

/** The segment, unless it is damaged. */
function checked(
  row: { readonly segment: Segment; readonly checksum: number } | undefined,
  dead: Uint8Array | undefined,
): { readonly segment: Segment; readonly dead: Uint8Array } | undefined {
  try {
    if (row === undefined || dead === undefined) return undefined
    const isWhole =
      segmentChecksum(row.segment) === row.checksum && dead.length === row.segment.documents.lengths.length
    return isWhole ? { segment: row.segment, dead } : undefined
  } catch {
    return undefined
  }
}
