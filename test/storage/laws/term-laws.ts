import { expect, it } from 'vitest'
import { batchOf, entryAt, inLane, numbersIn, planSession } from '../backend-fixtures.ts'
import type { LawContext } from '../backend-laws.ts'

const nobody = { term: 0, holder: '', beat: 0 }
const led = (term: number) => ({ term, holder: `tab ${term}`, beat: 0 })

export function termLaws({ open, reopen }: LawContext): void {
  it('B6: stores a claim only in the place of what it names', async () => {
    const backend = await open()
    expect(await backend.claimTerm()).toEqual(nobody)
    expect(await backend.claimTerm({ after: nobody, next: led(1) })).toEqual(led(1))
    expect(await backend.claimTerm({ after: nobody, next: led(2) })).toEqual(led(1))
    expect(await backend.claimTerm()).toEqual(led(1))
  })

  it('B6: refuses a batch of which one write names another term, and stores nothing of it', async () => {
    const backend = await open()
    const [a, b] = [planSession('a', 1), planSession('b', 2)]
    await a.write(backend)
    await backend.claimTerm({ after: nobody, next: led(4) })
    const batch = batchOf({ ...a.plan({ append: inLane(0, [entryAt(0)]) }), term: 4 }, { ...b.plan(), term: 3 })
    await expect(backend.commit(batch, 'relaxed')).rejects.toMatchObject({ name: 'NotLeader' })
    expect([await numbersIn(backend, 1), await backend.loadSession('b')]).toEqual([[], undefined])
    await expect(backend.commit({ ...batch, sessions: [batch.sessions[0]!] }, 'relaxed')).resolves.toEqual({
      stored: true,
    })
  })

  it('B6: erases nothing for another term', async () => {
    const backend = await open()
    await planSession('a', 1).write(backend)
    await backend.claimTerm({ after: nobody, next: led(4) })
    const erase = (term: number) => backend.commit({ sessions: [], erase: [{ key: 'a', session: 1, term }] }, 'relaxed')
    await expect(erase(3)).rejects.toMatchObject({ name: 'NotLeader' })
    expect((await backend.listSessions()).map(({ key }) => key)).toEqual(['a'])
    await erase(4)
    expect(await backend.listSessions()).toEqual([])
  })

  it('B6: remembers the term', async (context) => {
    if (reopen === undefined) return context.skip('its place does not outlive it')
    const backend = await open()
    await backend.claimTerm({ after: nobody, next: led(4) })
    await backend.close()
    expect(await (await reopen(backend)).claimTerm()).toEqual(led(4))
  })
}
