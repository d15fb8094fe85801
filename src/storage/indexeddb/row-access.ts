import type { StoredEntry } from '../../contract/rows.ts'
import { crcOfBytes } from '../../domain/crc32.ts'
import { isBytes } from '../../domain/row-value.ts'
import { packEntry } from '../packed-entry.ts'
import type { Connection } from './connection.ts'
import type { RecordKey } from './record-keys.ts'
import { readRecordValue } from './record-value.ts'
import { restoreEntries } from './restore-entries.ts'
import type { StoreName } from './schema.ts'
import { putRecords } from './write-records.ts'

/** A row as it is stored. */
export interface RawRow {
  readonly key: IDBValidKey
  /** `undefined` when it can't be read. */
  readonly value: unknown
}

/** A record of entries, together with its parts in other stores. */
interface RawRecord extends RawRow {
  readonly key: RecordKey
  /** `undefined` when a part of it can't be read. */
  readonly entries: readonly StoredEntry[] | undefined
}

/** Reads and replaces stored rows, whatever they mean. */
export interface RowAccess {
  /** @param after - the last key of the page before; absent for the first */
  readRows(store: StoreName, after: IDBValidKey | undefined, count: number): Promise<readonly RawRow[]>
  readRecords(after: IDBValidKey | undefined, count: number): Promise<readonly RawRecord[]>
  /** Replaces a row if it has not changed since it was read. @returns whether it was replaced */
  replaceRow(store: StoreName, row: RawRow, value: unknown): Promise<boolean>
  replaceRecord(record: RawRecord, entries: readonly StoredEntry[]): Promise<boolean>
}

export function rowAccess({ read, write }: Pick<Connection, 'read' | 'write'>, range = IDBKeyRange): RowAccess {
  const beyond = (after: IDBValidKey | undefined): IDBKeyRange | undefined =>
    after === undefined ? undefined : range.lowerBound(after, true)

  const readRows: RowAccess['readRows'] = (name, after, count) =>
    read<readonly RawRow[]>([name], 'read rows', ({ store, read: ask, attempt, answer }) => {
      ask(store(name).getAllKeys(beyond(after), count), (keys) => {
        const rows: RawRow[] = []
        if (keys.length === 0) answer(rows)
        // One unreadable value must not prevent reading the others.
        for (const [i, key] of keys.entries()) {
          const take = (value: unknown): void => {
            rows[i] = { key, value }
            if (i === keys.length - 1) answer(rows)
          }
          attempt<unknown>(store(name).get(key), take, () => take(undefined))
        }
      })
    })

  const replace = async (
    stores: readonly StoreName[],
    { key, value }: RawRow,
    put: (steps: Parameters<Parameters<Connection['write']>[3]>[0]) => void,
  ): Promise<boolean> => {
    let isReplaced = false
    await write(stores, 'relaxed', 'rewrite a row', (steps) => {
      steps.read<unknown>(steps.store(stores[0]!).get(key), (found) => {
        isReplaced = isSameRow(found, value)
        if (isReplaced) put(steps)
      })
    })
    return isReplaced
  }

  return {
    readRows,
    readRecords: async (after, count) => {
      const rows = await readRows('entries', after, count)
      return Promise.all(
        rows.map(({ key, value }) => {
          const [session, lane, order] = key as RecordKey
          return read<RawRecord>(['entries', 'bodies'], 'read a record', (steps) =>
            restoreEntries(steps, session, lane, [readRecordValue(order, value)], (entries, unreadable) =>
              steps.answer({ key: key as RecordKey, value, entries: unreadable.length > 0 ? undefined : entries }),
            ),
          )
        }),
      )
    },
    replaceRow: (name, row, value) =>
      replace(
        [name],
        row,
        ({ store }) => void (store(name).keyPath === null ? store(name).put(value, row.key) : store(name).put(value)),
      ),
    replaceRecord: (record, entries) => {
      const [session, lane, key] = record.key
      return replace(['entries', 'bodies'], record, (steps) =>
        putRecords(steps, session, lane, [{ key, entries: entries.map(packEntry) }]),
      )
    },
  }
}

/** Blobs are stored under their hash, so that only their seal can have changed. */
export function isSameRow(found: unknown, value: unknown): boolean {
  return found !== undefined && JSON.stringify(found, comparable) === JSON.stringify(value, comparable)
}

/** Bytes as a member of JSON would be an object with a member for each. */
const comparable = (_: string, member: unknown): unknown => (isBytes(member) ? crcOfBytes(member) : member)
