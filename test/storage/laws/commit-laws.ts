import { expect, it } from 'vitest'
import { batchOf, entriesAt, entryAt, inLane, numbersIn, planSession, readLane } from '../backend-fixtures.ts'
import type { LawContext } from '../backend-laws.ts'

export function commitLaws({ open }: LawContext): void {
  it('B1: shows a batch to every reader once it is stored', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    await expect(backend.commit(batchOf(a.plan({ append: inLane(0, entriesAt(0, 2)) })), 'strict')).resolves.toEqual({
      stored: true,
    })
    expect(await backend.loadSession('a')).toEqual(a.rows())
    expect(await readLane(backend, 1)).toEqual({ entries: entriesAt(0, 2), unreadable: [] })
  })

  it('B1: stores the writes of several sessions together', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    const b = planSession('b', 2)
    await backend.commit(
      batchOf(a.plan({ append: inLane(0, [entryAt(0)]) }), b.plan({ append: inLane(0, [entryAt(1)]) })),
      'relaxed',
    )
    expect([await numbersIn(backend, 1), await numbersIn(backend, 2)]).toEqual([[0], [1]])
    expect((await backend.listSessions()).map(({ key }) => key).sort()).toEqual(['a', 'b'])
  })

  it('B1: stores nothing of a batch of which one session is stale', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    const b = planSession('b', 2)
    await a.write(backend, { append: inLane(0, [entryAt(0)]) })
    await b.write(backend)
    const before = await backend.loadSession('a')
    b.plan()
    const batch = batchOf(
      a.plan({
        append: inLane(0, [entryAt(1)]),
        aliases: { add: ['x'], drop: [] },
        drafts: [],
        operations: [{ id: 'o', fingerprint: '', result: null, n: 0 }],
      }),
      b.plan(),
    )
    await expect(backend.commit(batch, 'relaxed')).resolves.toEqual({ stored: false, stale: ['b'] })
    expect(await backend.loadSession('a')).toEqual(before)
    expect(await numbersIn(backend, 1)).toEqual([0])
    expect(await backend.findAlias('x')).toBeUndefined()
    expect(await backend.findOperation(1, 'o')).toBeUndefined()
  })

  it('B2: names every session that is at another version than planned', async () => {
    const backend = await open()
    const [a, b, c] = [planSession('a', 1), planSession('b', 2), planSession('c', 3)]
    for (const session of [a, b, c]) await session.write(backend)
    a.plan()
    c.plan()
    const outcome = await backend.commit(batchOf(a.plan(), b.plan(), c.plan()), 'relaxed')
    expect(outcome.stored ? [] : [...outcome.stale].sort()).toEqual(['a', 'c'])
  })

  it('B2: lets one of two writers that planned on the same version through', async () => {
    const backend = await open()
    const first = planSession('a', 1)
    const second = planSession('a', 1)
    await first.write(backend)
    second.plan()
    const outcomes = await Promise.all([
      backend.commit(batchOf(first.plan({ append: inLane(0, [entryAt(1)]) })), 'relaxed'),
      backend.commit(batchOf(second.plan({ append: inLane(0, [entryAt(2)]) })), 'relaxed'),
    ])
    expect(outcomes).toEqual([{ stored: true }, { stored: false, stale: ['a'] }])
    expect(await numbersIn(backend, 1)).toEqual([1])
  })

  it('B2: creates a session at version 1 only, and once', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    a.plan()
    await expect(backend.commit(batchOf(a.plan()), 'relaxed')).resolves.toEqual({ stored: false, stale: ['a'] })
    await planSession('a', 1).write(backend)
    await expect(backend.commit(batchOf(planSession('a', 1).plan()), 'relaxed')).resolves.toEqual({
      stored: false,
      stale: ['a'],
    })
  })

  it('B2: refuses to create a session under a number that another one has', async () => {
    const backend = await open()
    await planSession('a', 1).write(backend, { append: inLane(0, [entryAt(0)]) })
    await expect(backend.commit(batchOf(planSession('b', 1).plan()), 'relaxed')).resolves.toEqual({
      stored: false,
      stale: ['b'],
    })
    expect(await backend.loadSession('b')).toBeUndefined()
  })

  it('B2: refuses a write for a session that was erased and made anew since', async () => {
    const backend = await open()
    const gone = planSession('a', 1)
    await gone.write(backend)
    await backend.commit({ sessions: [], erase: [{ key: 'a', session: 1 }] }, 'relaxed')
    const anew = planSession('a', 2)
    await anew.write(backend)
    await expect(backend.commit(batchOf(gone.plan({ append: inLane(0, [entryAt(0)]) })), 'relaxed')).resolves.toEqual({
      stored: false,
      stale: ['a'],
    })
    expect(await backend.loadSession('a')).toEqual(anew.rows())
  })

  it('takes the next write after a refused one', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    await a.write(backend)
    await backend.commit(batchOf(planSession('a', 1).plan()), 'relaxed')
    await a.write(backend, { append: inLane(0, [entryAt(0)]) })
    expect(await numbersIn(backend, 1)).toEqual([0])
  })

  it('stores nothing of a batch with a value that cannot be stored', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    await a.write(backend)
    const bad = entryAt(1, { data: { call: (() => 1) as never }, bytes: 1 })
    const planned = a.plan({ append: inLane(0, [entryAt(0), bad]) })
    await expect(backend.commit(batchOf(planned), 'relaxed')).rejects.toMatchObject({ name: 'InvalidInput' })
    expect(await numbersIn(backend, 1)).toEqual([])
    await expect(backend.commit(batchOf({ ...planned, append: inLane(0, [entryAt(0)]) }), 'relaxed')).resolves.toEqual({
      stored: true,
    })
    expect(await numbersIn(backend, 1)).toEqual([0])
  })

  it('stores commits in the order they were asked for', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        backend.commit(batchOf(a.plan({ append: inLane(0, [entryAt(i)]) })), 'relaxed'),
      ),
    )
    expect(outcomes).toEqual(outcomes.map(() => ({ stored: true })))
    expect(await numbersIn(backend, 1)).toEqual(outcomes.map((_, i) => i))
  })

  it('keeps the cold row when a write brings none', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    await a.write(backend)
    await a.write(backend)
    expect(await backend.loadSession('a')).toEqual(a.rows())
  })

  it('gives an alias to the first session that asks for it', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    const b = planSession('b', 2)
    await a.write(backend, { aliases: { add: ['x'], drop: [] } })
    await b.write(backend)
    expect(await backend.findAlias('x')).toBe('a')
    await expect(
      backend.commit(
        batchOf(b.plan({ aliases: { add: ['x'], drop: [] }, append: inLane(0, [entryAt(0)]) })),
        'relaxed',
      ),
    ).resolves.toEqual({ stored: false, stale: ['b'] })
    expect(await numbersIn(backend, 2)).toEqual([])
    await a.write(backend, { aliases: { add: ['x'], drop: [] } })
    expect(await backend.findAlias('x')).toBe('a')
  })

  it('gives an alias to one of the sessions of a batch that ask for it', async () => {
    const backend = await open()
    const add = { aliases: { add: ['x'], drop: [] } }
    await expect(
      backend.commit(batchOf(planSession('a', 1).plan(add), planSession('b', 2).plan(add)), 'relaxed'),
    ).resolves.toEqual({ stored: false, stale: ['b'] })
    expect([await backend.findAlias('x'), await backend.listSessions()]).toEqual([undefined, []])
  })

  it('frees an alias that is dropped, also for another session of the batch', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    const b = planSession('b', 2)
    await a.write(backend, { aliases: { add: ['x', 'y'], drop: [] } })
    await b.write(backend)
    await expect(
      backend.commit(
        batchOf(b.plan({ aliases: { add: ['x'], drop: [] } }), a.plan({ aliases: { add: [], drop: ['x', 'y'] } })),
        'relaxed',
      ),
    ).resolves.toEqual({ stored: true })
    expect([await backend.findAlias('x'), await backend.findAlias('y')]).toEqual(['b', undefined])
  })

  it('does not let a session drop an alias of another', async () => {
    const backend = await open()
    await planSession('a', 1).write(backend, { aliases: { add: ['x'], drop: [] } })
    await planSession('b', 2).write(backend, { aliases: { add: [], drop: ['x'] } })
    expect(await backend.findAlias('x')).toBe('a')
  })

  it('erases a session with everything that belongs to it, and nothing else', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    const b = planSession('b', 2)
    for (const session of [a, b]) {
      await session.write(backend, {
        append: [
          ...inLane(-1, [entryAt(0)]),
          ...inLane(0, [entryAt(1, { data: { mid: 'm' } }), entryAt(2, { data: { text: 'x'.repeat(40_000) } })]),
          ...inLane(3, [entryAt(3)]),
        ],
        aliases: { add: [`alias of ${session.key}`], drop: [] },
        operations: [{ id: 'o', fingerprint: 'f', result: null, n: 0 }],
        drafts: [
          {
            put: {
              id: 'd',
              session: session.session,
              key: session.key,
              branch: '',
              role: 'assistant',
              startedAt: 1,
              version: 1,
            },
          },
          { draft: 'd', n: 0, chunk: { text: 'x' } },
        ],
      })
    }
    await expect(backend.commit({ sessions: [], erase: [{ key: 'a', session: 1 }] }, 'strict')).resolves.toEqual({
      stored: true,
    })
    const left = async (session: number) => [
      await numbersIn(backend, session, -1),
      await numbersIn(backend, session, 0),
      await numbersIn(backend, session, 3),
      (await backend.findByMid(session, ['m'])).length,
      await backend.findOperation(session, 'o').then((found) => found?.id),
      (await backend.loadDrafts(session)).length,
    ]
    expect(await left(1)).toEqual([[], [], [], 0, undefined, 0])
    expect(await left(2)).toEqual([[0], [1, 2], [3], 1, 'o', 1])
    expect([await backend.findAlias('alias of a'), await backend.findAlias('alias of b')]).toEqual([undefined, 'b'])
    expect(await backend.loadSession('a')).toBeUndefined()
    expect((await backend.listSessions()).map(({ key }) => key)).toEqual(['b'])
  })

  it('B2: erases nothing for one who saw another version', async () => {
    const backend = await open()
    const [a, b] = [planSession('a', 1), planSession('b', 2)]
    await a.write(backend)
    await b.write(backend)
    const { version } = (await backend.loadSession('a'))!.hot
    await a.write(backend, { append: inLane(0, [entryAt(0)]) })
    await expect(
      backend.commit({ sessions: [b.plan()], erase: [{ key: 'a', session: 1, version }] }, 'strict'),
    ).resolves.toEqual({ stored: false, stale: ['a'] })
    expect([(await backend.loadSession('a'))?.hot.version, (await backend.loadSession('b'))?.hot.version]).toEqual([
      version + 1,
      1,
    ])
    await expect(
      backend.commit({ sessions: [], erase: [{ key: 'a', session: 1, version: version + 1 }] }, 'strict'),
    ).resolves.toEqual({ stored: true })
    expect(await backend.loadSession('a')).toBeUndefined()
  })

  it('moves a session to another key in one batch', async () => {
    const backend = await open()
    await planSession('old', 1).write(backend, { append: inLane(0, [entryAt(0)]), aliases: { add: ['x'], drop: [] } })
    const target = planSession('new', 2).plan({
      append: inLane(0, [entryAt(0)]),
      aliases: { add: ['x', 'old'], drop: [] },
    })
    await expect(
      backend.commit({ sessions: [target], erase: [{ key: 'old', session: 1 }] }, 'strict'),
    ).resolves.toEqual({ stored: true })
    expect([await backend.findAlias('x'), await backend.findAlias('old')]).toEqual(['new', 'new'])
    expect(await numbersIn(backend, 2)).toEqual([0])
    expect(await backend.loadSession('old')).toBeUndefined()
  })

  it('makes a session anew after it was erased', async () => {
    const backend = await open()
    await planSession('a', 1).write(backend, { append: inLane(0, [entryAt(0)]) })
    await backend.commit({ sessions: [], erase: [{ key: 'a', session: 1 }] }, 'strict')
    await planSession('a', 2).write(backend, { aliases: { add: ['alias'], drop: [] } })
    await backend.commit({ sessions: [], erase: [{ key: 'a', session: 1 }] }, 'strict')
    expect((await backend.loadSession('a'))?.hot.session).toBe(2)
    expect(await backend.findAlias('alias')).toBe('a')
  })

  it('takes keys, aliases and ids of any characters', async () => {
    const backend = await open()
    const odd = 'a/b:"c"\n\t\u0000 ü 😀 __proto__'
    const a = planSession(odd, 1)
    await a.write(backend, {
      aliases: { add: ['__proto__', ''], drop: [] },
      operations: [{ id: odd, fingerprint: '', result: { [odd]: 1 }, n: 0 }],
    })
    expect(await backend.loadSession(odd)).toEqual(a.rows())
    expect([await backend.findAlias('__proto__'), await backend.findAlias('')]).toEqual([odd, odd])
    expect(await backend.findOperation(1, odd)).toMatchObject({ id: odd, result: { [odd]: 1 } })
  })

  it('takes an empty batch', async () => {
    const backend = await open()
    await expect(backend.commit({ sessions: [], erase: [] }, 'relaxed')).resolves.toEqual({ stored: true })
  })
}
