import { expect, it, vi } from 'vitest'
import { piSession } from '../../../src/dialects/pi/pi-session.ts'
import { labelsOf } from '../../../src/domain/labels-of.ts'
import { assistant, entriesOf, openClient, openSession, textsOf, user } from './support/open-session.ts'

vi.mock('../../../src/domain/labels-of.ts', async (load) => {
  const { labelsOf } = await load<typeof import('../../../src/domain/labels-of.ts')>()
  return { labelsOf: vi.fn(labelsOf) }
})

it('goes on after an entry, on a branch only where the line goes on from there', async () => {
  const { session, entries } = await openSession(user('q1'), assistant('a1'), user('q2'))
  expect(await piSession(session).branch(entries[2]!)).toMatchObject({ id: '', isHead: true })
  expect(await session.branches.list()).toHaveLength(1)
  const branch = await piSession(session).branch(entries[1]!)
  expect(branch.fork).toEqual({ branch: '', order: entries[1]!.order })
  expect(await textsOf(session)).toEqual(['q1', 'a1'])
})

it('goes on beside a reply that is being streamed after the last entry', async () => {
  const { session, entries } = await openSession(user('q1'))
  const reply = session.stream()
  await reply.id
  const branch = await piSession(session).branch(entries[0]!)
  expect(branch.fork).toEqual({ branch: '', order: entries[0]!.order })
  reply.write('a1')
  await reply.end()
  expect(await textsOf(session)).toEqual(['q1'])
  expect(await textsOf(session, '')).toEqual(['q1', 'a1'])
})

it('stops reading the labels and the context of a long session when it is told to', async () => {
  const { session, entries } = await openSession(...Array.from({ length: 2_000 }, (_, i) => user(`q${i}`)))
  const pi = piSession(session)
  await pi.setLabel(entries[0]!, 'first')
  for (const read of [pi.labels, (options: { signal: AbortSignal }) => pi.buildSessionContext(undefined, options)]) {
    const stop = new AbortController()
    const reading = read({ signal: stop.signal })
    stop.abort()
    await expect(reading).rejects.toMatchObject({ name: 'Aborted' })
  }
})

it('goes on from the start', async () => {
  const { session } = await openSession(user('q'))
  await piSession(session).branch(null)
  expect(await textsOf(session)).toEqual([])
  await piSession(session).branch(null)
  expect(await session.branches.list()).toHaveLength(2)
})

it('leaves a summary of what was tried on the new branch, for the model too', async () => {
  const { session, entries } = await openSession(user('q1'), assistant('a1'), user('q2'), assistant('a2'))
  const receipt = await piSession(session).branchWithSummary(entries[1]!, 'Tried q2.', {
    details: { readFiles: ['a'] },
  })
  const line = await entriesOf(session)
  expect(line.at(-1)).toMatchObject({
    id: receipt.id,
    type: 'branch_summary',
    data: { fromId: entries[1]!.id, summary: 'Tried q2.', details: { readFiles: ['a'] } },
  })
  expect(await session.meta()).toMatchObject({ head: receipt.branch })
  expect((await session.context()).messages.map(({ content }) => content)).toEqual([
    'q1',
    'a1',
    expect.stringContaining('<summary>\nTried q2.</summary>'),
  ])
  expect(await textsOf(session, '')).toEqual(['q1', 'a1', 'q2', 'a2'])
})

it('leaves a summary at the start', async () => {
  const { session } = await openSession(user('q'))
  await piSession(session).branchWithSummary(null, 'From nothing.')
  expect((await entriesOf(session)).map(({ data }) => data)).toEqual([{ fromId: 'root', summary: 'From nothing.' }])
})

it('goes to a line that ends where the summary is left', async () => {
  const { session, entries } = await openSession(user('q1'), assistant('a1'))
  const { id } = await session.branches.after(entries[0]!)
  await session.append(assistant('b1'))
  const { branch } = await piSession(session).branchWithSummary(entries[1]!, 'Tried b1.')
  expect(branch).toBe('')
  expect(await session.meta()).toMatchObject({ head: '' })
  expect((await session.branches.list()).map((one) => one.id)).toEqual(['', id])
})

it('is repeated safely under one operation id', async () => {
  const { session, entries } = await openSession(user('q1'), assistant('a1'))
  const first = await piSession(session).branchWithSummary(entries[0]!, 's', { operationId: 'o' })
  expect(await piSession(session).branchWithSummary(entries[0]!, 's', { operationId: 'o' })).toEqual(first)
  expect(await session.branches.list()).toHaveLength(2)
})

it('labels entries of any line, anew, and takes labels away', async () => {
  const { session, entries } = await openSession(user('q'), { ...assistant('a'), id: 'host-a' })
  await piSession(session).setLabel(entries[0]!, 'one')
  await piSession(session).setLabel({ mid: 'host-a' }, 'two')
  await piSession(session).branch(entries[0]!)
  await piSession(session).setLabel(entries[0]!, 'three')
  expect(await piSession(session).labels()).toEqual(
    new Map([
      [entries[1]!.id, 'two'],
      [entries[0]!.id, 'three'],
    ]),
  )
  await piSession(session).setLabel(entries[1]!, null)
  expect([...(await piSession(session).labels()).keys()]).toEqual([entries[0]!.id])
  await expect(piSession(session).setLabel(entries[0]!, 3 as never)).rejects.toMatchObject({ name: 'InvalidInput' })
})

it('finds the entry that an imported label names by its id in the source', async () => {
  const { session, entries } = await openSession({ ...user('q'), id: '77dc5c20' })
  await session.appendAll([{ type: 'label', data: { targetId: '77dc5c20', label: 'checkpoint-1' } }])
  expect(await piSession(session).labels()).toEqual(new Map([[entries[0]!.id, 'checkpoint-1']]))
})

it('holds only labels and what they name, and reads a session without labels once', async () => {
  const { session } = await openSession(...Array.from({ length: 20 }, (_, i) => user(`q${i}`)))
  vi.mocked(labelsOf).mockClear()
  const read = vi.spyOn(session.store, 'read')
  expect(await piSession(session).labels()).toEqual(new Map())
  expect(read).toHaveBeenCalledTimes(1)
  await piSession(session).setLabel((await entriesOf(session))[7]!, 'seventh')
  expect([...(await piSession(session).labels()).values()]).toEqual(['seventh'])
  expect(Math.max(...vi.mocked(labelsOf).mock.calls.map(([rows]) => rows.length))).toBe(2)
})

it('keeps models, thinking levels, notes and messages of extensions as pi has them', async () => {
  const { session } = await openSession(user('q'))
  await piSession(session).setModel('openai', 'gpt-4o')
  await piSession(session).setThinkingLevel('high')
  await piSession(session).appendCustom('ext', { count: 42 })
  await piSession(session).appendCustomMessage({
    customType: 'ext',
    content: 'Injected',
    display: false,
    details: { a: 1 },
  })
  expect((await entriesOf(session)).slice(1).map(({ type, data }) => [type, data])).toEqual([
    ['model_change', { provider: 'openai', modelId: 'gpt-4o' }],
    ['thinking_level_change', { thinkingLevel: 'high' }],
    ['custom', { customType: 'ext', data: { count: 42 } }],
    ['custom_message', { customType: 'ext', content: 'Injected', display: false, details: { a: 1 } }],
  ])
  expect((await session.context()).messages.map(({ content }) => content)).toEqual(['q', 'Injected'])
  expect(await piSession(session).buildSessionContext()).toEqual({
    messages: [
      user('q'),
      {
        role: 'custom',
        customType: 'ext',
        content: 'Injected',
        display: false,
        details: { a: 1 },
        timestamp: expect.any(Number),
      },
    ],
    model: { provider: 'openai', modelId: 'gpt-4o' },
    thinkingLevel: 'high',
  })
  await expect(piSession(session).setModel('', 'x')).rejects.toMatchObject({ name: 'InvalidInput' })
})

it('makes a new session of the path to an entry, with labels, edits and where it is from', async () => {
  const { client, session, entries } = await openSession(user('q1'), assistant('a1'), user('q2'), assistant('a2'))
  await session.edit(entries[1]!, assistant('A1'))
  const { branch } = await session.editAndResend(entries[2]!, user('Q2'))
  await piSession(session).setLabel(entries[1]!, 'here')
  await piSession(session).setLabel(entries[3]!, 'elsewhere')
  await client.store.updateMeta('k', { agentId: 'coder', custom: { a: 1 }, title: 'Chosen' })
  const [leaf] = (await entriesOf(session, branch)).slice(2)
  const other = await session.branches.copy(leaf!)
  expect(other.key).not.toBe('k')
  expect(await textsOf(other)).toEqual(['q1', 'A1', 'Q2'])
  const copies = await entriesOf(other)
  expect(copies.map(({ id }) => id)).not.toEqual(expect.arrayContaining([entries[0]!.id]))
  expect(copies.slice(0, 3).map(({ mid }) => mid)).toEqual([entries[0]!.id, entries[1]!.id, leaf!.id])
  expect([...(await piSession(other).labels())]).toEqual([[copies[1]!.id, 'here']])
  expect(await other.meta()).toMatchObject({ title: 'Chosen', agentId: 'coder', custom: { a: 1, parentSession: 'k' } })
  await other.append(assistant('A2'))
  expect(await textsOf(other)).toEqual(['q1', 'A1', 'Q2', 'A2'])
  expect(await textsOf(session)).toEqual(['q1', 'A1', 'Q2'])
  expect((await client.store.verify(other.key)).problems).toEqual([])
})

it('keeps in a new session what a compaction on the path keeps', async () => {
  const { client, session, entries } = await openSession(user('q1'), assistant('a1'), user('q2'), assistant('a2'))
  await client.store.setCompaction('k', { summary: 'They met.', firstKept: entries[2]!, details: { n: 1 } })
  await session.append(user('q3'))
  const leaf = (await entriesOf(session)).at(-1)!
  const other = await session.branches.copy(leaf)
  expect(await other.context()).toMatchObject({ summary: 'They met.', messages: (await session.context()).messages })
  expect(await piSession(other).buildSessionContext()).toEqual(await piSession(session).buildSessionContext())
  expect(await textsOf(other)).toEqual(await textsOf(session))
  const before = await session.branches.copy(entries[3]!)
  expect(await before.context()).toMatchObject({ summary: '' })
})

it('does not bring what was cut into a new session', async () => {
  const { client, session, entries } = await openSession(user('secret'), assistant('a1'), user('q2'))
  await client.store.setCompaction('k', { summary: 'A secret.', firstKept: entries[1]! })
  await client.store.truncateHistory('k', 0)
  await session.append(user('q3'))
  const other = await session.branches.copy((await entriesOf(session)).at(-1)!)
  expect(await textsOf(other)).toEqual(['q3'])
  const old = await session.branches.copy(entries[2]!)
  expect(await textsOf(old)).toEqual([])
  for (const one of [other, old]) expect(JSON.stringify(await client.store.changes(one.key))).not.toMatch(/secret/)
})

it('makes one session of a path when it is repeated under one key, and refuses the key of another session', async () => {
  const { client, session, entries } = await openSession(user('q1'), assistant('a1'))
  await session.branches.copy(entries[0]!, { key: 'copy' })
  const again = await session.branches.copy(entries[0]!, { key: 'copy' })
  expect(await textsOf(again)).toEqual(['q1'])
  await (await client.session('other')).append(user('x'))
  await expect(session.branches.copy(entries[0]!, { key: 'other' })).rejects.toMatchObject({ name: 'InvalidInput' })
  await expect(session.branches.copy({ mid: 'nobody' })).rejects.toMatchObject({ name: 'InvalidInput' })
  expect(await textsOf(await client.session('other'))).toEqual(['x'])
})

it('refuses to branch from a session that is not there', async () => {
  const session = await (await openClient()).session('nowhere')
  await expect(session.branches.copy({ branch: '', order: 'x' })).rejects.toMatchObject({ name: 'SessionNotFound' })
})
