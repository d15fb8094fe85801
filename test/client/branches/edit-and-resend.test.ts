import { expect, it } from 'vitest'
import { piSession } from '../../../src/dialects/pi/pi-session.ts'
import { assistant, entriesOf, openClient, openSession, textsOf, user } from './support/open-session.ts'

it('says a message anew on a branch before it', async () => {
  const { session, entries } = await openSession(user('q1'), assistant('a1'), user('q2'), assistant('a2'))
  const { branch } = await session.editAndResend(entries[2]!, user('Q2'))
  expect(await textsOf(session)).toEqual(['q1', 'a1', 'Q2'])
  expect(await textsOf(session, '')).toEqual(['q1', 'a1', 'q2', 'a2'])
  expect(await session.meta()).toMatchObject({ head: branch })
  await session.append(assistant('A2'))
  expect(await textsOf(session)).toEqual(['q1', 'a1', 'Q2', 'A2'])
})

it('says the first message of a session anew', async () => {
  const { session, entries } = await openSession(user('q'), assistant('a'))
  await session.editAndResend(entries[0]!, user('Q'))
  expect(await textsOf(session)).toEqual(['Q'])
  expect(await textsOf(session, '')).toEqual(['q', 'a'])
})

it('says the first message of a branch anew beside it', async () => {
  const { session, entries } = await openSession(user('q1'), assistant('a1'), user('q2'))
  const {
    entries: [second],
  } = await session.editAndResend(entries[2]!, user('second'))
  await session.editAndResend(second!, user('third'))
  expect(await textsOf(session)).toEqual(['q1', 'a1', 'third'])
  expect((await session.branches.list()).map(({ fork }) => fork?.order)).toEqual([
    undefined,
    entries[1]!.order,
    entries[1]!.order,
  ])
})

it('says a message of another line than the head anew', async () => {
  const { session, entries } = await openSession(user('q1'), assistant('a1'), user('q2'))
  await session.branches.after(entries[0]!)
  await session.editAndResend(entries[2]!, user('Q2'))
  expect(await textsOf(session)).toEqual(['q1', 'a1', 'Q2'])
})

it('opens one branch when it is repeated under one operation id, and refuses another message under it', async () => {
  const { session, entries } = await openSession(user('q'), assistant('a'))
  const first = await session.editAndResend(entries[0]!, user('Q'), { operationId: 'once' })
  expect(await session.editAndResend(entries[0]!, user('Q'), { operationId: 'once' })).toEqual(first)
  expect(await session.branches.list()).toHaveLength(2)
  expect(await textsOf(session)).toEqual(['Q'])
  await expect(session.editAndResend(entries[0]!, user('other'), { operationId: 'once' })).rejects.toMatchObject({
    name: 'OperationConflict',
  })
})

it('opens no branch when its message is refused', async () => {
  const { session, entries } = await openSession(user('q'), assistant('a'))
  await expect(session.editAndResend(entries[0]!, { role: '' })).rejects.toMatchObject({ name: 'InvalidInput' })
  expect(await session.branches.list()).toHaveLength(1)
})

it('refuses what is no message, and a session that was deleted', async () => {
  const { client, session, entries } = await openSession(user('q'))
  const note = await piSession(session).appendCustom('note')
  await expect(session.editAndResend(note, user('x'))).rejects.toMatchObject({ name: 'InvalidInput' })
  await client.delete('k')
  await expect(session.editAndResend(entries[0]!, user('x'))).rejects.toThrow()
  expect(await (await openClient()).store.getMeta('k')).toBeUndefined()
})

it('says a message anew that lies before a truncation', async () => {
  const { client, session, entries } = await openSession(user('q1'), assistant('a1'), user('q2'), assistant('a2'))
  await client.store.truncateHistory('k', 2)
  await session.editAndResend(entries[2]!, user('Q2'))
  expect((await entriesOf(session)).map(({ message }) => message?.content)).toEqual(['Q2'])
})
