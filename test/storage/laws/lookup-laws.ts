import { expect, it } from 'vitest'
import { entriesAt, entryAt, inLane, orderAt, planSession } from '../backend-fixtures.ts'
import type { LawContext } from '../backend-laws.ts'

const draftOf = (session: number, id: string) => ({
  id,
  session,
  key: 'a',
  branch: '',
  role: 'assistant',
  startedAt: 5,
  version: 1,
  owner: 'lock',
})

export function lookupLaws({ open, hasBlobs = true }: LawContext): void {
  it('knows nothing about what was never stored', async () => {
    const backend = await open()
    expect(await backend.loadSession('a')).toBeUndefined()
    expect(await backend.listSessions()).toEqual([])
    expect(await backend.findAlias('a')).toBeUndefined()
    expect(await backend.findByMid(1, ['m'])).toEqual([])
    expect(await backend.findOperation(1, 'o')).toBeUndefined()
    expect(await backend.loadDrafts(1)).toEqual([])
    expect(await backend.getBlob('h')).toBeUndefined()
  })

  it('lists the hot row of every session', async () => {
    const backend = await open()
    const sessions = ['b', 'a', 'c'].map((key, i) => planSession(key, i + 1))
    for (const session of sessions) await session.write(backend)
    await sessions[0]!.write(backend)
    const listed = [...(await backend.listSessions())].sort((x, y) => x.session - y.session)
    expect(listed).toEqual(sessions.map((session) => session.rows().hot))
  })

  it('finds entries by host message id, also after they moved to other records', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    const withMid = (n: number, mid: string) => entryAt(n, { data: { mid, n } })
    await a.write(backend, {
      append: [
        ...inLane(0, [withMid(1, 'x'), entryAt(3), withMid(5, 'y'), withMid(7, 'x')]),
        ...inLane(2, [withMid(1, 'x')]),
      ],
    })
    await planSession('b', 2).write(backend, { append: inLane(0, [withMid(1, 'x')]) })
    const find = async (...mids: string[]) => (await backend.findByMid(1, mids)).map(({ s }) => s).sort((x, y) => x - y)
    expect(await find('x')).toEqual([1, 1, 7])
    expect(await find('y', 'none', 'x')).toEqual([1, 1, 5, 7])
    await a.write(backend, { insert: inLane(0, entriesAt(10, 200)), erase: [{ lane: 0, orders: [orderAt(1)] }] })
    await a.write(backend, { insert: inLane(0, [withMid(2, 'x'), entryAt(6)]), pack: { lane: 0, from: '' } })
    expect(await find('x')).toEqual([1, 2, 7])
    expect(await backend.findByMid(1, ['y'])).toEqual([withMid(5, 'y')])
    expect(await backend.findByMid(1, [])).toEqual([])
  })

  it('keeps operations until they are pruned', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    const operation = (n: number) => ({ id: `o${n}`, fingerprint: `f${n}`, result: { n }, n })
    await a.write(backend, { operations: [operation(0), operation(1)] })
    await a.write(backend, { operations: [operation(2)] })
    expect(await backend.findOperation(1, 'o1')).toEqual(operation(1))
    expect(await backend.findOperation(2, 'o1')).toBeUndefined()
    await a.write(backend, { operations: [{ ...operation(0), n: 3 }], pruneOperations: 2 })
    expect(await Promise.all([0, 1, 2].map(async (n) => (await backend.findOperation(1, `o${n}`))?.n))).toEqual([
      3,
      undefined,
      2,
    ])
  })

  it('finds each operation by its id, however many a commit has and whatever their ids look like', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    const ids = [
      'x',
      'x0',
      'x01',
      'x1',
      '7',
      '007',
      'x9007199254740993',
      'page.',
      ...Array.from({ length: 200 }, (_, i) => `page.${i + 5}`),
      'page.4',
      'page.300',
      'x2',
      'x3',
    ]
    const operations = ids.map((id, n) => ({ id, fingerprint: 'f', result: { n }, n }))
    await a.write(backend, { operations: operations.slice(0, 150) })
    await a.write(backend, { operations: operations.slice(150) })
    await planSession('b', 2).write(backend, { operations: [{ id: 'page.301', fingerprint: 'f', result: null, n: 0 }] })
    expect(await Promise.all(ids.map((id) => backend.findOperation(1, id)))).toEqual(operations)
    for (const id of ['', 'pag', 'page', 'page.3', 'page.206', 'page.299', 'page.301', 'page.1e3', 'x02', 'x4', '07'])
      expect([id, await backend.findOperation(1, id)]).toEqual([id, undefined])
  })

  it('finds the later one of an operation that is done anew, and those that were stored beside the first', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    const operation = (id: string, n: number, more = {}) => ({ id, fingerprint: 'f', result: null, n, ...more })
    await a.write(backend, { operations: [1, 2, 3].map((n) => operation(`o${n}`, n)) })
    await a.write(backend, { operations: [operation('o2', 4, { isRedone: true }), operation('o4', 5)] })
    expect(await Promise.all([1, 2, 3, 4].map(async (n) => (await backend.findOperation(1, `o${n}`))?.n))).toEqual([
      1, 4, 3, 5,
    ])
  })

  it('keeps drafts with their chunks in order', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    await a.write(backend, { drafts: [{ put: draftOf(1, 'd1') }, { put: draftOf(1, 'd2') }] })
    for (const n of [10, 2, 0]) await a.write(backend, { drafts: [{ draft: 'd1', n, chunk: { text: `t${n}` } }] })
    await a.write(backend, {
      drafts: [
        { draft: 'd2', n: 0, chunk: { reasoning: 'r' } },
        { draft: 'd1', n: 2, chunk: { text: 't2' } },
      ],
    })
    await planSession('b', 2).write(backend, { drafts: [{ put: draftOf(2, 'd1') }] })
    const drafts = [...(await backend.loadDrafts(1))].sort((x, y) => (x.row.id < y.row.id ? -1 : 1))
    expect((await backend.listDrafts()).map(({ session, id }) => `${session} ${id}`).sort()).toEqual([
      '1 d1',
      '1 d2',
      '2 d1',
    ])
    expect(drafts).toEqual([
      { row: draftOf(1, 'd1'), chunks: [0, 2, 10].map((n) => ({ n, chunk: { text: `t${n}` } })) },
      { row: draftOf(1, 'd2'), chunks: [{ n: 0, chunk: { reasoning: 'r' } }] },
    ])
    await a.write(backend, { drafts: [{ drop: 'd1' }] })
    expect((await backend.loadDrafts(1)).map(({ row }) => row.id)).toEqual(['d2'])
    expect(await backend.loadDrafts(2)).toEqual([{ row: draftOf(2, 'd1'), chunks: [] }])
  })

  it('turns a draft into an entry in one batch', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    await a.write(backend, { drafts: [{ put: draftOf(1, 'd') }, { draft: 'd', n: 0, chunk: { text: 'x' } }] })
    await a.write(backend, { append: inLane(0, [entryAt(0)]), drafts: [{ drop: 'd' }] })
    expect(await backend.loadDrafts(1)).toEqual([])
  })

  it('says how many bytes drafts take', async () => {
    const backend = await open()
    await planSession('a', 1).write(backend, {
      drafts: [
        { put: draftOf(1, 'd') },
        { draft: 'd', n: 0, chunk: { text: 'abc', reasoning: 'ü' } },
        { draft: 'd', n: 1, chunk: { text: '😀' } },
      ],
    })
    expect(await backend.usage()).toMatchObject({ draftBytes: 9, blobBytes: 0 })
  })

  it.runIf(hasBlobs)('keeps blobs by their hash', async () => {
    const backend = await open()
    await backend.putBlob('h1', new Blob(['hello'], { type: 'text/plain' }), 0)
    await backend.putBlob('h1', new Blob(['hello'], { type: 'text/plain' }), 0)
    await backend.putBlob('h2', new Blob([new Uint8Array(100_000)]), 0)
    const blob = await backend.getBlob('h1')
    expect([blob?.type, await blob?.text()]).toEqual(['text/plain', 'hello'])
    expect((await backend.getBlob('h2'))?.size).toBe(100_000)
    expect(await backend.getBlob('h3')).toBeUndefined()
    expect((await backend.usage()).blobBytes).toBe(100_005)
  })

  it.runIf(!hasBlobs)('refuses blobs with a typed error', async () => {
    await expect((await open()).putBlob('h', new Blob(['x']), 0)).rejects.toMatchObject({ name: 'StorageUnavailable' })
  })
}
