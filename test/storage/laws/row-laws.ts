import { expect, it } from 'vitest'
import type { RowsWrite } from '../../../src/contract/stored-row.ts'
import { storedRow } from '../../../src/domain/row-value.ts'
import { batchOf, planSession } from '../backend-fixtures.ts'
import type { LawContext } from '../backend-laws.ts'

const insert = (id: string, print: string, key = id): RowsWrite => ({
  collection: 'c',
  ops: [{ type: 'insertIfAbsent', key, row: storedRow(id) }],
  operation: { id, prints: [print, 'another print of it'] },
})
const only = (rows: RowsWrite) => ({ sessions: [], erase: [], rows })

export function rowLaws({ open }: LawContext): void {
  it('B1: stores rows together with the sessions of their batch, or not at all', async () => {
    const backend = await open()
    const [a, b] = [planSession('a', 1), planSession('b', 2)]
    await a.write(backend)
    const late = batchOf({ ...a.plan(), since: 9 })
    expect(await backend.commit({ ...late, rows: insert('o', 'p') }, 'relaxed')).toMatchObject({ stored: false })
    expect(await backend.getRows('c', ['o'])).toEqual([undefined])
    const outcome = await backend.commit({ ...batchOf(b.plan()), rows: insert('o', 'p') }, 'relaxed')
    expect(outcome).toMatchObject({ stored: true, changed: [true] })
    expect(await backend.getRows('c', ['o'])).toEqual([storedRow('o')])
  })

  it('B9: an operation that is stored already changes nothing, by any of its prints', async () => {
    const backend = await open()
    await backend.commit(only(insert('o', 'p')), 'relaxed')
    await backend.commit(only({ collection: 'c', ops: [{ type: 'delete', key: 'o' }] }), 'relaxed')
    const again = { ...insert('o', 'new print'), operation: { id: 'o', prints: ['new print', 'p'] } }
    expect(await backend.commit(only(again), 'relaxed')).toEqual({ stored: true, changed: [true] })
    await expect(backend.commit(only(insert('o', 'other')), 'relaxed')).rejects.toMatchObject({
      name: 'OperationConflict',
    })
    expect(await backend.getRows('c', ['o'])).toEqual([undefined])
  })

  it('B10: gives each commit that changes rows a higher stamp, and names the one before', async () => {
    const backend = await open()
    const { lastRowsStamp } = backend
    if (lastRowsStamp === undefined) return
    expect(await lastRowsStamp()).toBe(0)
    const stamps: number[] = [0]
    for (const key of ['a', 'b', 'c']) {
      const outcome = await backend.commit(only(insert(key, key)), 'relaxed')
      const { stamp, previous } = (outcome.stored && outcome.stamped) || { stamp: 0, previous: 0 }
      expect(previous).toBe(stamps.at(-1))
      expect(stamp).toBeGreaterThan(previous)
      expect(await lastRowsStamp()).toBe(stamp)
      stamps.push(stamp)
    }
  })

  it('B10: gives no stamp to a commit that changes no row', async () => {
    const backend = await open()
    const { lastRowsStamp } = backend
    if (lastRowsStamp === undefined) return
    await backend.commit(only(insert('o', 'p')), 'relaxed')
    const last = await lastRowsStamp()
    // The first is the same operation, the second deletes what is not there, the third expects another commit before it.
    for (const rows of [
      insert('o', 'p'),
      { collection: 'c', ops: [{ type: 'delete' as const, key: 'none' }] },
      { collection: 'c', ops: [{ type: 'put' as const, key: 'o', row: storedRow(2) }], after: last - 1 },
    ])
      expect(await backend.commit(only(rows), 'relaxed')).not.toHaveProperty('stamped')
    expect([await lastRowsStamp(), await backend.getRows('c', ['o'])]).toEqual([last, [storedRow('o')]])
  })

  it('reads a range from either end, and says whether there is more', async () => {
    const backend = await open()
    for (const key of ['d', 'a', 'c', 'b']) await backend.commit(only(insert(key, key)), 'relaxed')
    const keys = async (read: { from: string; to?: string; reverse: boolean; limit: number }) => {
      const { rows, more } = await backend.rangeRows({ collection: 'c', ...read })
      return [rows.map(({ key }) => key).join(''), more]
    }
    expect(await keys({ from: '', reverse: false, limit: 4 })).toEqual(['abcd', false])
    expect(await keys({ from: 'b', reverse: false, limit: 2 })).toEqual(['bc', true])
    expect(await keys({ from: 'b', to: 'd', reverse: true, limit: 2 })).toEqual(['cb', false])
    expect(await keys({ from: 'a', to: 'd', reverse: true, limit: 2 })).toEqual(['cb', true])
    expect(await keys({ from: 'x', reverse: true, limit: 2 })).toEqual(['', false])
  })

  it('lists collections with rows, and no others', async () => {
    const backend = await open()
    await backend.commit(only(insert('o', 'p')), 'relaxed')
    expect(await backend.listCollections()).toEqual([{ name: 'c', rows: 1, bytes: 3 }])
    await backend.commit(only({ collection: 'c', ops: [{ type: 'delete', key: 'o' }] }), 'relaxed')
    expect(await backend.listCollections()).toEqual([])
  })
}
