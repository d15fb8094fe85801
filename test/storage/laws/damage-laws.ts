import { expect, it } from 'vitest'
import { entriesAt, entryAt, inLane, numbersIn, orderAt, planSession, readLane } from '../backend-fixtures.ts'
import type { LawContext } from '../backend-laws.ts'

export function damageLaws({ open, damage }: LawContext): void {
  it.runIf(damage)('B4: names a record that cannot be read, and gives the others', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    await a.write(backend, { append: inLane(0, entriesAt(0, 199)) })
    await damage?.(backend, 1, 0, orderAt(64))
    const around = [...entriesAt(0, 63), ...entriesAt(128, 199)]
    expect(await readLane(backend, 1)).toEqual({ entries: around, unreadable: [orderAt(64)] })
    const page = await backend.readRange({ session: 1, lane: 0, from: '', to: '~', limit: 150, reverse: true })
    expect(page).toEqual({ entries: around, more: false, unreadable: [orderAt(64)] })
  })

  it.runIf(damage)('B4: goes on writing beside it', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    await a.write(backend, { append: inLane(0, entriesAt(0, 127)) })
    await damage?.(backend, 1, 0, orderAt(64))
    await a.write(backend, {
      append: inLane(0, [entryAt(200)]),
      insert: inLane(0, [entryAt(150)]),
      pack: { lane: 0, from: '' },
    })
    expect(await readLane(backend, 1)).toEqual({
      entries: [...entriesAt(0, 63), entryAt(150), entryAt(200)],
      unreadable: [orderAt(64)],
    })
  })

  it.runIf(damage)('B4: takes lost entries again from elsewhere', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    await a.write(backend, { append: inLane(0, entriesAt(0, 127)) })
    await damage?.(backend, 1, 0, orderAt(64))
    await a.write(backend, { insert: inLane(0, entriesAt(0, 127)) })
    expect(await readLane(backend, 1)).toEqual({ entries: entriesAt(0, 127), unreadable: [] })
  })

  it.runIf(damage)('sets a record aside, once', async () => {
    const backend = await open()
    const a = planSession('a', 1)
    await a.write(backend, { append: inLane(0, entriesAt(0, 127)) })
    await damage?.(backend, 1, 0, orderAt(64))
    await backend.setAside(1, 0, orderAt(64))
    await backend.setAside(1, 0, orderAt(64))
    expect(await readLane(backend, 1)).toEqual({ entries: entriesAt(0, 63), unreadable: [] })
    await a.write(backend, { append: inLane(0, entriesAt(128, 130)) })
    expect((await numbersIn(backend, 1)).length).toBe(67)
  })

  it('leaves a record alone that can be read', async () => {
    const backend = await open()
    await planSession('a', 1).write(backend, { append: inLane(0, entriesAt(0, 9)) })
    await backend.setAside(1, 0, orderAt(0))
    await backend.setAside(1, 0, orderAt(5))
    await backend.setAside(7, 0, orderAt(0))
    expect((await readLane(backend, 1)).entries).toEqual(entriesAt(0, 9))
  })
}
