import { expect, it } from 'vitest'
import type { Session } from '../../../src/client/session-contract.ts'
import type { EntryView } from '../../../src/contract/entry.ts'
import { piSession } from '../../../src/dialects/pi/pi-session.ts'
import { assistant, openSession, textsOf, user } from './support/open-session.ts'

const conversation = [user('q1'), assistant('a1'), user('q2'), assistant('a2')]

/** A session that was cleared, and whose head is restored from a checkpoint. */
async function openRestored(): Promise<{ readonly session: Session; readonly entries: readonly EntryView[] }> {
  const { session, entries } = await openSession(...conversation)
  const { id } = await session.checkpoints.create()
  await session.entries.clear()
  await session.checkpoints.restore(id)
  return { session, entries }
}

it('answers a question of a restored line anew, again and again', async () => {
  const { session } = await openRestored()
  for (let n = 0; n < 3; n++) {
    await session.regenerate()
    expect(await textsOf(session)).toEqual(['q1', 'a1', 'q2'])
    await session.append(assistant(`another ${n}`))
  }
  expect((await session.branches.tree()).forks.map(({ choices }) => choices.length)).toContain(4)
})

it('asks a question of a restored line in other words', async () => {
  const { session, entries } = await openRestored()
  await session.editAndResend(entries[2]!, user('Q2'))
  expect(await textsOf(session)).toEqual(['q1', 'a1', 'Q2'])
})

it('answers anew on a line whose parent was cleared since', async () => {
  const { session } = await openSession(...conversation)
  const { id } = await session.regenerate()
  await session.append(assistant('b2'))
  await session.branches.switchTo('')
  await session.entries.clear()
  await session.branches.switchTo(id)
  await session.regenerate()
  expect(await textsOf(session)).toEqual(['q1', 'a1', 'q2'])
})

it('begins a branch before and after an entry of a restored line, also while another line is the head', async () => {
  const { session, entries } = await openRestored()
  await session.branches.before(entries[2]!)
  expect(await textsOf(session)).toEqual(['q1', 'a1'])
  await session.branches.switchTo('')
  await session.branches.after(entries[2]!)
  expect(await textsOf(session)).toEqual(['q1', 'a1', 'q2'])
})

it('copies the path to an entry of a restored line', async () => {
  const { session, entries } = await openRestored()
  const copy = await session.branches.copy(entries[2]!)
  expect(await textsOf(copy)).toEqual(['q1', 'a1', 'q2'])
  expect((await piSession(session).buildSessionContext(entries[2]!)).messages).toHaveLength(3)
})

it('hides on a new version what the line that it continues hides', async () => {
  const { session, entries } = await openSession(...conversation)
  await session.branches.after(entries[3]!)
  await session.store.truncateHistory(session.key, 2)
  await session.editAndResend(entries[2]!, user('Q2'))
  expect(await textsOf(session)).toEqual(['Q2'])
})
