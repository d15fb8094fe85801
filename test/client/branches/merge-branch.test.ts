import { expect, it } from 'vitest'
import { piSession } from '../../../src/dialects/pi/pi-session.ts'
import { assistant, entriesOf, openClient, openSession, textsOf, user } from './support/open-session.ts'

/** A session with main q a, and a branch with q b c that is the head. */
async function forked() {
  const opened = await openSession(user('q'), { ...assistant('a'), id: 'host-a' })
  const { id } = await opened.session.regenerate()
  await opened.session.appendAll([
    { type: 'message', message: { ...assistant('b'), usage: { total: 3 } }, at: 1_000 },
    { type: 'message', message: user('c') },
  ])
  return { ...opened, id }
}

it('appends what a line lacks of another one, as it is', async () => {
  const { session, id } = await forked()
  expect(await session.branches.merge(id, '')).toEqual({ branch: '', added: 2 })
  expect(await textsOf(session, '')).toEqual(['q', 'a', 'b', 'c'])
  const copies = await entriesOf(session, '')
  const originals = await entriesOf(session, id)
  expect(copies.slice(-2).map(({ message, at }) => ({ message, at }))).toEqual(
    originals.slice(-2).map(({ message, at }) => ({ message, at })),
  )
  expect(await textsOf(session, id)).toEqual(['q', 'b', 'c'])
})

it('says where the copies are from, and tells no model of it', async () => {
  const { session, id } = await forked()
  const originals = await entriesOf(session, id)
  await session.branches.merge(id, '')
  const mark = (await entriesOf(session, '')).find(({ type }) => type === 'custom')
  expect(mark?.data).toEqual({
    customType: 'merged_branch',
    data: { branch: id, entries: originals.slice(-2).map((entry) => entry.id) },
  })
  await session.branches.switchTo('')
  expect((await session.context()).messages.map(({ content }) => content)).toEqual(['q', 'a', 'b', 'c'])
})

it('adds nothing the second time, and later only what came since', async () => {
  const { session, id } = await forked()
  await session.branches.merge(id, '')
  expect(await session.branches.merge(id, '')).toEqual({ branch: '', added: 0 })
  await session.append(assistant('d'), { branch: id })
  expect(await session.branches.merge(id, '')).toEqual({ branch: '', added: 1 })
  expect(await textsOf(session, '')).toEqual(['q', 'a', 'b', 'c', 'd'])
})

it('does not bring back what a line had and lost', async () => {
  const { client, session, id } = await forked()
  await session.branches.merge(id, '')
  await session.branches.switchTo('')
  await session.remove((await entriesOf(session, '')).at(-1)!)
  await client.store.truncateHistory('k', 1)
  expect(await session.branches.merge(id, '')).toEqual({ branch: '', added: 0 })
})

it('takes nothing back to where the copies are from, and copies of copies only once', async () => {
  const { session, id, entries } = await forked()
  await session.branches.merge(id, '')
  expect(await session.branches.merge('', id)).toEqual({ branch: id, added: 1 })
  expect(await textsOf(session, id)).toEqual(['q', 'b', 'c', 'a'])
  const third = await session.branches.after(entries[0]!)
  await session.branches.merge('', third.id)
  expect(await session.branches.merge(id)).toEqual({ branch: third.id, added: 0 })
  expect(await textsOf(session)).toEqual(['q', 'a', 'b', 'c'])
})

it('takes summaries and custom messages along, but no labels, models or notes', async () => {
  const { session, id } = await forked()
  await piSession(session).setModel('p', 'm')
  await piSession(session).setLabel((await entriesOf(session, id))[0]!, 'x')
  await piSession(session).appendCustom('note')
  await piSession(session).appendCustomMessage({ customType: 'hint', content: 'look' })
  expect(await session.branches.merge(id, '')).toEqual({ branch: '', added: 3 })
  expect((await entriesOf(session, '')).map(({ type }) => type)).toEqual([
    'message',
    'message',
    'custom',
    'message',
    'message',
    'custom_message',
  ])
})

it('copies a line of any length, once, whatever tabs merge it at the same time', async () => {
  const client = await openClient('two-tabs')
  const session = await client.session('k')
  const { entries } = await session.appendAll([
    { type: 'message', message: user('q') },
    { type: 'message', message: assistant('a') },
  ])
  const { id } = await session.branches.after(entries[0]!)
  const texts = Array.from({ length: 700 }, (_, i) => `b${i}`)
  await session.appendAll(texts.map((text) => ({ type: 'message', message: user(text) })))
  const other = await (await openClient('two-tabs')).session('k')
  const merges = await Promise.all([session.branches.merge(id, ''), other.branches.merge(id, '')])
  expect(merges.reduce((sum, { added }) => sum + added, 0)).toBe(700)
  expect(await textsOf(session, '')).toEqual(['q', 'a', ...texts])
})

it('refuses branches that are not there', async () => {
  const { session, id } = await forked()
  await expect(session.branches.merge('nowhere', '')).rejects.toMatchObject({ name: 'InvalidInput' })
  await expect(session.branches.merge(id, 'nowhere')).rejects.toMatchObject({ name: 'InvalidInput' })
})

it('copies what only the other line shows of a part that both have, as after a restored checkpoint', async () => {
  const { client, session } = await openSession(user('q1'))
  const elsewhere = await openClient()
  await elsewhere.store.merge('k', (await client.store.changes('k')).entries)
  await (await elsewhere.session('k')).append(user('meanwhile'))
  await session.append(user('q2'))
  const { id } = await session.checkpoints.create()
  // It came later, and stands before what the checkpoint saw last.
  await client.store.merge('k', (await elsewhere.store.changes('k')).entries)
  const { branch } = await session.checkpoints.restore(id)
  await session.append(user('q3'))
  expect([await textsOf(session, ''), await textsOf(session)]).toEqual([
    ['q1', 'meanwhile', 'q2'],
    ['q1', 'q2', 'q3'],
  ])
  expect(await session.branches.merge('', branch.id)).toEqual({ branch: branch.id, added: 1 })
  expect(await textsOf(session)).toEqual(['q1', 'q2', 'q3', 'meanwhile'])
  expect(await session.branches.merge('', branch.id)).toEqual({ branch: branch.id, added: 0 })
})

it('keeps what it has copied when it is cancelled, and copies the rest the next time', async () => {
  const { session, entries } = await openSession(user('q'), assistant('a'))
  const { id } = await session.branches.after(entries[0]!)
  await session.appendAll(Array.from({ length: 2000 }, (_, i) => ({ type: 'message', message: user(`side ${i}`) })))
  const cancelled = session.branches.merge(id, '', { signal: AbortSignal.abort() })
  await expect(cancelled).rejects.toMatchObject({ name: 'Aborted' })
  const ending = new AbortController()
  const { append } = session.store
  let batches = 0
  session.store.append = async (...given) => {
    const result = await append(...given)
    if (++batches === 2) ending.abort()
    return result
  }
  await expect(session.branches.merge(id, '', { signal: ending.signal })).rejects.toMatchObject({ name: 'Aborted' })
  session.store.append = append
  const done = (await textsOf(session, '')).length - 2
  expect(done).toBeGreaterThan(0)
  expect(await session.branches.merge(id, '')).toEqual({ branch: '', added: 2000 - done })
  expect((await textsOf(session, '')).slice(2)).toEqual((await textsOf(session, id)).slice(1))
})

it('two merges in opposite directions end, and copy nothing twice', async () => {
  const { session, entries } = await openSession(user('q'), assistant('a'))
  const { id } = await session.branches.after(entries[0]!)
  const append = (branch: string) =>
    session.store.append(
      'k',
      Array.from({ length: 1500 }, (_, i) => ({ type: 'message', message: user(`${branch} ${i}`) }) as const),
      { branch },
    )
  await append(id)
  await append('')
  await Promise.all([session.branches.merge(id, ''), session.branches.merge('', id)])
  for (const branch of ['', id]) {
    const { entries: shown } = await session.page({ branch, after: '', limit: 4096 })
    const texts = shown.flatMap(({ message }) => message?.content ?? [])
    expect([texts.length, new Set(texts).size]).toEqual([3002, 3002])
  }
})
