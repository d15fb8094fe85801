import { expect, it } from 'vitest'
import { assistant, openSession, textsOf, user } from './support/open-session.ts'

const call = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
}
const result = { role: 'tool', tool_call_id: 'c', content: 'found' }

it('answers a question anew, tool calls and all, and keeps the old reply', async () => {
  const { session, entries } = await openSession(user('q'), call, result, assistant('a'))
  const branch = await session.regenerate(entries[3])
  expect(branch).toMatchObject({ isHead: true, fork: { branch: '', order: entries[0]!.order } })
  await session.append(assistant('b'))
  expect(await textsOf(session)).toEqual(['q', 'b'])
  expect(await textsOf(session, '')).toEqual(['q', null, 'found', 'a'])
})

it('takes the last reply when none is named', async () => {
  const { session } = await openSession(user('q1'), assistant('a1'), user('q2'), assistant('a2'))
  await session.regenerate()
  expect(await textsOf(session)).toEqual(['q1', 'a1', 'q2'])
})

it('looks for the question as far back as it is', async () => {
  const { session, entries } = await openSession(
    user('q'),
    ...Array.from({ length: 150 }, (_, i) => assistant(`step ${i}`)),
  )
  await session.regenerate(entries.at(-1))
  expect(await textsOf(session)).toEqual(['q'])
})

it('begins anew before a greeting that nobody asked for', async () => {
  const { session, entries } = await openSession(assistant('hello'), user('q'))
  await session.regenerate(entries[0])
  expect(await textsOf(session)).toEqual([])
})

it('keeps the reply before a question that was removed', async () => {
  const { session, entries } = await openSession(user('q1'), assistant('a1'), user('q2'), call, result, assistant('a2'))
  await session.remove(entries[2]!)
  await session.regenerate(entries[5])
  await session.append(assistant('b'))
  expect(await textsOf(session)).toEqual(['q1', 'a1', 'b'])
  expect(await textsOf(session, '')).toEqual(['q1', 'a1', null, 'found', 'a2'])
})

it('begins anew after a line was cleared', async () => {
  const { session } = await openSession(user('q'), assistant('a'))
  await session.entries.clear()
  await session.append(assistant('hello'))
  await session.regenerate()
  await session.append(assistant('welcome'))
  expect(await textsOf(session)).toEqual(['welcome'])
})

it('opens one branch when it is repeated under one operation id', async () => {
  const { session, entries } = await openSession(user('q'), assistant('a'))
  const first = await session.regenerate(entries[1], { operationId: 'again', name: 'other' })
  expect(await session.regenerate(entries[1], { operationId: 'again', name: 'other' })).toEqual(first)
  expect(await session.branches.list()).toHaveLength(2)
})

it('refuses where there is nothing to write anew', async () => {
  const { session } = await openSession()
  await expect(session.regenerate()).rejects.toMatchObject({ name: 'InvalidInput' })
})

it('forks from an entry of a branch that was deleted, as long as a line shows it', async () => {
  const { session, entries } = await openSession(user('q'), assistant('a'))
  const deleted = await session.regenerate(entries[1])
  const reply = await session.append(assistant('b'))
  await session.append(user('q2'))
  await session.branches.after(reply)
  await session.append(user('q3'))
  await session.branches.delete(deleted.id)
  await session.branches.before(reply)
  expect(await textsOf(session)).toEqual(['q'])
})

it('forks by the id that the host gave a message', async () => {
  const { session } = await openSession({ ...user('q'), id: 'm1' }, { ...assistant('a'), id: 'm2' })
  await session.branches.before({ mid: 'm2' })
  expect(await textsOf(session)).toEqual(['q'])
  await expect(session.branches.after({ mid: 'nobody' })).rejects.toMatchObject({ name: 'InvalidInput' })
})

it('refuses an entry that no line has', async () => {
  const { session, entries } = await openSession(user('q'))
  for (const place of [
    { branch: '', order: `${entries[0]!.order}x` },
    { branch: 'constructor', order: entries[0]!.order },
    { branch: '', order: '' },
    {},
  ]) {
    await expect(session.branches.before(place as never)).rejects.toMatchObject({ name: 'InvalidInput' })
  }
  expect(await session.branches.list()).toHaveLength(1)
})
