import type { StoredEntry } from '../../contract/rows.ts'
import { pushAll } from '../../domain/push-all.ts'
import { packedMid } from '../packed-entry.ts'
import type { ReadRecord } from '../readable.ts'
import type { RecordKey } from './record-keys.ts'
import { readRecordValue } from './record-value.ts'
import { restoreEntries } from './restore-entries.ts'
import type { ReadSteps } from './transaction.ts'

/** {@link StorageBackend.findByMid}: the sparse index finds the records, from which the entries are picked. */
export function findByMid(steps: ReadSteps<readonly StoredEntry[]>, session: number, mids: readonly string[]): void {
  const wanted = new Set(mids)
  const index = steps.store('entries').index('mids')
  // One record may have several of the ids.
  const records = new Map<string, { readonly lane: number; readonly record: ReadRecord }>()
  const found: StoredEntry[] = []
  let waiting = 1
  const done = (): void => {
    waiting--
    if (waiting === 0) restore()
  }
  const restore = (): void => {
    let open = records.size
    if (open === 0) steps.answer(found)
    for (const { lane, record } of records.values()) {
      restoreEntries(steps, session, lane, [record], (entries) => {
        pushAll(found, entries)
        open--
        if (open === 0) steps.answer(found)
      })
    }
  }
  const take = ([, lane, order]: RecordKey, value: unknown): void => {
    const record = readRecordValue(order, value)
    const entries = record.entries.filter((entry) => wanted.has(packedMid(entry) ?? ''))
    records.set(`${lane} ${order}`, {
      lane,
      record: { ...record, entries: entries.filter((entry) => packedMid(entry) !== undefined) },
    })
  }
  for (const mid of wanted) {
    waiting++
    let keys: readonly IDBValidKey[] = []
    steps.read(index.getAllKeys([session, mid]), (owners) => {
      keys = owners
    })
    const use = (values: readonly unknown[]): void => {
      values.forEach((value, i) => take(keys[i] as RecordKey, value))
      done()
    }
    // An unreadable record contributes no entries.
    steps.attempt<unknown[]>(index.getAll([session, mid]), use, done)
  }
  done()
}
