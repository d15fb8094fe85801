import { expect, it } from 'vitest'
import { assistant, openSession, user } from './support/open-session.ts'

it('lists branches with what a person needs to tell them apart', async () => {
  const { session, entries } = await openSession(user('q'), assistant('a'))
  await session.regenerate()
  await session.appendAll([
    {
      type: 'message',
      message: assistant('a second answer that takes its time to get anywhere'),
      at: 5_000_000_000_000,
    },
    { type: 'message', message: user('and then') },
  ])
  const { id } = await session.branches.after(entries[0]!, { name: 'empty' })
  const previews = await session.branches.previews()
  expect(previews).toEqual([
    { ...(await session.branches.list())[0], preview: 'q', messageCount: 2, lastActivity: entries[1]!.at },
    {
      ...(await session.branches.list())[1],
      preview: 'a second answer that takes its…',
      messageCount: 2,
      lastActivity: 5_000_000_000_000,
    },
    {
      ...(await session.branches.list())[2],
      id,
      name: 'empty',
      isHead: true,
      preview: '',
      messageCount: 0,
      lastActivity: previews[2]!.createdAt,
    },
  ])
})

it('names branches, takes names away, and deletes branches', async () => {
  const { session } = await openSession(user('q'), assistant('a'))
  const { id } = await session.regenerate()
  await session.branches.rename(id, 'other')
  expect((await session.branches.list())[1]?.name).toBe('other')
  await session.branches.rename(id, null)
  expect((await session.branches.list())[1]).not.toHaveProperty('name')
  await session.branches.delete(id)
  expect(await session.branches.list()).toEqual([expect.objectContaining({ id: '', isHead: true })])
})

it('tells the ways that go on from a fork, and which one is shown', async () => {
  const { session, entries } = await openSession(user('q'), assistant('a1'), user('more'))
  const second = await session.regenerate(entries[1])
  await session.append(assistant('a2'))
  const third = await session.regenerate(entries[1])
  await session.append(assistant('a3'))
  await session.branches.switchTo(second.id)
  const { head, forks } = await session.branches.tree()
  expect(head).toBe(second.id)
  expect(forks).toHaveLength(1)
  expect(forks[0]).toMatchObject({
    at: { branch: '', order: entries[0]!.order },
    shown: 1,
    choices: [
      { branch: '', line: '', preview: 'a1', first: { id: entries[1]!.id } },
      { branch: second.id, line: second.id, preview: 'a2' },
      { branch: third.id, line: third.id, preview: 'a3' },
    ],
  })
})

it('leads to the newest line of a way, and to the head where that goes it', async () => {
  const { session, entries } = await openSession(user('q'), assistant('a1'))
  const second = await session.regenerate(entries[1])
  const reply = await session.append(assistant('a2'))
  await session.append(user('deeper'))
  const deep = await session.branches.after(reply)
  await session.append(user('deeper still'))
  await session.branches.switchTo('')
  const fork = async () => (await session.branches.tree()).forks.find(({ at }) => at.branch === '')!
  expect((await fork()).choices.map(({ line }) => line)).toEqual(['', deep.id])
  expect((await fork()).shown).toBe(0)
  await session.branches.switchTo(second.id)
  expect((await fork()).choices.map(({ line }) => line)).toEqual(['', second.id])
  expect((await fork()).shown).toBe(1)
})

it('does not come by a fork of a line that is not shown', async () => {
  const { session, entries } = await openSession(user('q'), assistant('a1'))
  await session.regenerate(entries[1])
  const reply = await session.append(assistant('a2'))
  await session.append(user('deeper'))
  await session.branches.after(reply)
  await session.branches.switchTo('')
  expect((await session.branches.tree()).forks.map(({ shown }) => shown)).toEqual([0, -1])
})

it('takes a fork before the first own entry of a branch for one of the line that this left', async () => {
  const { session, entries } = await openSession(user('q1'), assistant('a1'), user('q2'))
  const first = await session.editAndResend(entries[2]!, user('Q2'))
  const second = await session.editAndResend(first.entries[0]!, user('QQ2'))
  const { forks } = await session.branches.tree()
  expect(forks.map(({ choices }) => choices.map(({ branch }) => branch))).toEqual([['', first.branch, second.branch]])
})

it('has two ways from the start where a conversation was begun anew', async () => {
  const { session, entries } = await openSession(user('q'))
  await session.branches.before(entries[0]!)
  await session.append(user('Q'))
  expect((await session.branches.tree()).forks).toMatchObject([
    { at: { branch: '', order: '' }, shown: 1, choices: [{ preview: 'q' }, { preview: 'Q' }] },
  ])
})

it('still leads to what leaves a branch that was deleted', async () => {
  const { session, entries } = await openSession(user('q'), assistant('a1'))
  const deleted = await session.regenerate(entries[1])
  const reply = await session.append(assistant('a2'))
  await session.append(user('deeper'))
  const kept = await session.branches.after(reply)
  await session.append(user('other'))
  await session.branches.delete(deleted.id)
  const { forks } = await session.branches.tree()
  expect(forks).toHaveLength(1)
  expect(forks[0]).toMatchObject({
    at: { branch: '', order: entries[0]!.order },
    choices: [
      { line: '', preview: 'a1' },
      { branch: deleted.id, line: kept.id, preview: 'a2' },
    ],
  })
})

it('has no fork where nothing parts', async () => {
  const { session } = await openSession(user('q'))
  expect(await session.branches.tree()).toEqual({ head: '', forks: [] })
  const { session: empty } = await openSession()
  expect(await empty.branches.tree()).toEqual({ head: '', forks: [] })
})
