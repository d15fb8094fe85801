import { expect, it } from 'vitest'
import type { StorageBackend } from '../../../src/contract/backend.ts'
import { batchOf, entriesAt, entryAt, inLane, planSession, readLane } from '../backend-fixtures.ts'
import type { LawContext } from '../backend-laws.ts'

const calls: readonly (readonly [string, (backend: StorageBackend) => Promise<unknown>])[] = [
  ['loadSession', (backend) => backend.loadSession('a')],
  ['listSessions', (backend) => backend.listSessions()],
  ['findAlias', (backend) => backend.findAlias('a')],
  ['readRange', (backend) => backend.readRange({ session: 1, lane: 0, from: '', to: '~' })],
  ['findByMid', (backend) => backend.findByMid(1, ['m'])],
  ['findOperation', (backend) => backend.findOperation(1, 'o')],
  ['loadDrafts', (backend) => backend.loadDrafts(1)],
  ['listDrafts', (backend) => backend.listDrafts()],
  ['commit', (backend) => backend.commit(batchOf(planSession('a', 1).plan()), 'relaxed')],
  ['claimTerm', (backend) => backend.claimTerm()],
  ['listPurges', (backend) => backend.listPurges()],
  ['forgetPurges', (backend) => backend.forgetPurges()],
  ['putBlob', (backend) => backend.putBlob('h', new Blob(['x']), 0)],
  ['getBlob', (backend) => backend.getBlob('h')],
  ['setAside', (backend) => backend.setAside(1, 0, 'x')],
  ['usage', (backend) => backend.usage()],
]

export function closingLaws({ open, reopen }: LawContext): void {
  it.each(calls)('rejects %s with StorageClosed after close', async (_, call) => {
    const backend = await open()
    await backend.close()
    await backend.close()
    await expect(call(backend)).rejects.toMatchObject({ name: 'StorageClosed' })
  })

  it('keeps nothing it was given by reference, and gives nothing it keeps', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    const entry = entryAt(0, { data: { list: [1] } })
    const stored = backend.commit(
      batchOf(a.plan({ append: inLane(0, [entry]), operations: [{ id: 'o', fingerprint: 'f', result: [1], n: 0 }] })),
      'relaxed',
    )
    await stored
    ;(entry.data['list'] as number[]).push(2)
    for (let round = 0; round < 2; round++) {
      const [read] = (await readLane(backend, 1)).entries
      expect(read?.data).toEqual({ list: [1] })
      ;(read?.data['list'] as number[]).push(3)
      const operation = await backend.findOperation(1, 'o')
      expect(operation?.result).toEqual([1])
      ;(operation?.result as number[]).push(4)
      const rows = await backend.loadSession('a')
      expect(rows).toEqual(a.rows())
      Object.assign(rows?.hot ?? {}, { key: 'changed' })
    }
  })

  it.runIf(reopen)('has everything when it is opened again', async () => {
    const first = await open()
    const a = planSession('a', 1)
    await a.write(first, {
      append: inLane(0, [...entriesAt(0, 99), entryAt(100, { data: { mid: 'm', text: 'x'.repeat(50_000) } })]),
      aliases: { add: ['alias'], drop: [] },
      operations: [{ id: 'o', fingerprint: 'f', result: null, n: 0 }],
      drafts: [
        { put: { id: 'd', session: 1, key: 'a', branch: '', role: 'assistant', startedAt: 1, version: 1 } },
        { draft: 'd', n: 0, chunk: { text: 'x' } },
      ],
    })
    const before = await readLane(first, 1)
    await first.close()
    const second = await reopen!(first)
    expect(await readLane(second, 1)).toEqual(before)
    expect(before.entries.length).toBe(101)
    expect(await second.loadSession('a')).toEqual(a.rows())
    expect(await second.findAlias('alias')).toBe('a')
    expect((await second.findByMid(1, ['m'])).length).toBe(1)
    expect((await second.findOperation(1, 'o'))?.fingerprint).toBe('f')
    expect((await second.loadDrafts(1))[0]?.chunks.length).toBe(1)
    await a.write(second, { append: inLane(0, [entryAt(101)]) })
  })

  it.runIf(reopen)('shares its place with another one that is open', async () => {
    const first = await open()
    const second = await reopen!(first)
    const a = planSession('a', 1)
    await a.write(first, { append: inLane(0, [entryAt(0)]), aliases: { add: ['x'], drop: [] } })
    expect((await readLane(second, 1)).entries).toEqual([entryAt(0)])
    expect(await second.findAlias('x')).toBe('a')
    const outcomes = await Promise.all([
      first.commit(batchOf(a.plan({ append: inLane(0, [entryAt(1)]) })), 'relaxed'),
      second.commit(
        batchOf({ ...a.plan({ append: inLane(0, [entryAt(2)]) }), hot: { ...a.rows().hot, version: 2 } }),
        'relaxed',
      ),
    ])
    expect(outcomes.filter(({ stored }) => stored).length).toBe(1)
    expect((await readLane(first, 1)).entries.length).toBe(2)
    expect(await readLane(first, 1)).toEqual(await readLane(second, 1))
  })
}
