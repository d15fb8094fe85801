import { expect, it } from 'vitest'
import { entryAt, inLane, planSession } from '../backend-fixtures.ts'
import type { LawContext } from '../backend-laws.ts'

/** B8: what was known of erased sessions is remembered in the same commit, where somebody asked for it. */
export function purgeLaws({ open, reopen }: LawContext): void {
  it('B8: remembers the vectors of erasures from the first question on', async () => {
    const backend = await open()
    for (const [i, key] of ['a', 'b', 'c'].entries()) await planSession(key, i + 1).write(backend)
    await backend.commit({ sessions: [], erase: [{ key: 'a', session: 1, vector: { x: 1 } }] }, 'strict')
    expect(await backend.listPurges()).toEqual([])
    await backend.commit(
      {
        sessions: [],
        erase: [
          { key: 'b', session: 2, vector: { x: 2 } },
          { key: 'c', session: 3 },
        ],
      },
      'strict',
    )
    expect(await backend.listPurges()).toEqual([{ key: 'b', vector: { x: 2 } }])
  })

  it('B8: remembers nothing of a batch that is refused', async () => {
    const backend = await open()
    await backend.listPurges()
    const [a, b] = [planSession('a', 1), planSession('b', 2)]
    for (const one of [a, b]) await one.write(backend)
    expect(
      await backend.commit(
        {
          sessions: [],
          erase: [
            { key: 'a', session: 1, vector: { x: 1 } },
            { key: 'b', session: 2, version: 9, vector: { x: 1 } },
          ],
        },
        'strict',
      ),
    ).toMatchObject({ stored: false })
    expect(await backend.listPurges()).toEqual([])
  })

  it('B8: joins the vectors of one key, and forgets them only as a whole', async () => {
    const backend = await open()
    await backend.listPurges()
    for (const vector of [
      { x: 2, y: 1 },
      { x: 1, z: 1 },
    ] as Record<string, number>[]) {
      await planSession('a', 1).write(backend, { append: inLane(0, [entryAt(0)]) })
      await backend.commit({ sessions: [], erase: [{ key: 'a', session: 1, vector }] }, 'strict')
    }
    await backend.forgetPurges([
      { key: 'a', vector: { x: 2, y: 1 } },
      { key: 'b', vector: {} },
    ])
    expect(await backend.listPurges()).toEqual([{ key: 'a', vector: { x: 2, y: 1, z: 1 } }])
    await backend.forgetPurges(await backend.listPurges())
    expect(await backend.listPurges()).toEqual([])
  })

  it('B8: remembers the latest life that was erased, and forgets none that is later than what was told', async () => {
    const backend = await open()
    await backend.listPurges()
    for (const life of [undefined, 3, 2]) {
      await planSession('a', 1).write(backend, { append: inLane(0, [entryAt(0)]) })
      await backend.commit(
        { sessions: [], erase: [{ key: 'a', session: 1, vector: { x: 1 }, ...(life === undefined ? {} : { life }) }] },
        'strict',
      )
    }
    expect(await backend.listPurges()).toEqual([{ key: 'a', vector: { x: 1 }, life: 3 }])
    await backend.forgetPurges([{ key: 'a', vector: { x: 1 }, life: 2 }])
    expect(await backend.listPurges()).toHaveLength(1)
    await backend.forgetPurges([{ key: 'a', vector: { x: 1 }, life: 3 }])
    expect(await backend.listPurges()).toEqual([])
  })

  it('B8: remembers them beyond its end', async (context) => {
    if (reopen === undefined) return context.skip('its place does not outlive it')
    const backend = await open()
    await backend.listPurges()
    await planSession('a', 1).write(backend)
    await backend.commit({ sessions: [], erase: [{ key: 'a', session: 1, vector: { x: 1 } }] }, 'strict')
    await backend.close()
    expect(await (await reopen(backend)).listPurges()).toEqual([{ key: 'a', vector: { x: 1 } }])
  })
}
