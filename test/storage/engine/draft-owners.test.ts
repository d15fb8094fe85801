import { expect, it } from 'vitest'
import type { DraftChange, StoreChange } from '../../../src/contract/change.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

/** Tabs over one place, of which each can die, and which hear of each other. */
function createTabs() {
  const backend = createMemoryBackend()
  const alive = new Set<string>()
  const waiting = new Map<string, Set<() => void>>()
  const listeners = new Map<string, (change: StoreChange) => void>()
  const heard: StoreChange[] = []
  let now = 1_750_000_000_000
  const open = (owner: string, { knowsLocks = true, watches = true } = {}): SessionStore => {
    alive.add(owner)
    return createSessionStore(backend, {
      owner,
      now: () => now++,
      onChange: (change) => {
        heard.push(change)
        for (const [other, listener] of listeners) if (other !== owner) listener(structuredClone(change))
      },
      follow: (listener) => void listeners.set(owner, listener),
      isOwnerAlive: async (name) => (knowsLocks ? alive.has(name) : undefined),
      ...(watches
        ? {
            onOwnerGone: (name: string, act: () => void) => {
              if (!waiting.has(name)) waiting.set(name, new Set())
              waiting.get(name)!.add(act)
              return () => void waiting.get(name)?.delete(act)
            },
          }
        : {}),
    })
  }
  const kill = (owner: string): void => {
    alive.delete(owner)
    listeners.delete(owner)
    for (const act of waiting.get(owner) ?? []) act()
    waiting.delete(owner)
  }
  return {
    backend,
    open,
    kill,
    heard,
    pass: (ms: number) => void (now += ms),
    watchers: () => [...waiting.values()].reduce((sum, { size }) => sum + size, 0),
  }
}
const user = { role: 'user', content: 'q' }

async function streaming(store: SessionStore, text = 'half'): Promise<string> {
  await store.append('k', [{ type: 'message', message: user }])
  const draft = await store.openDraft('k', { role: 'assistant' })
  await store.writeDraft('k', draft, 0, { text })
  return draft
}
const interrupted = { role: 'assistant', content: 'half', interrupted: true }

it("refuses to write, seal or drop another tab's draft while that tab lives, and lets it be watched", async () => {
  const { open } = createTabs()
  const one = open('one')
  const draft = await streaming(one)
  const two = open('two')
  const refusals = [
    two.writeDraft('k', draft, 1, { text: 'x' }),
    two.sealDraft('k', draft),
    two.sealDraft('k', draft, user),
    two.dropDraft('k', draft),
  ]
  for (const refused of refusals) await expect(refused).rejects.toMatchObject({ name: 'AccessDenied' })
  expect(await two.listDrafts('k')).toMatchObject([{ id: draft, text: 'half' }])
  await one.writeDraft('k', draft, 1, { text: ' whole' })
  await one.sealDraft('k', draft)
  expect(await two.getHistory('k')).toEqual([user, { role: 'assistant', content: 'half whole' }])
})

it('makes an entry of what a dead tab left before the first call of the next one is answered', async () => {
  const { open, kill } = createTabs()
  await streaming(open('one'))
  kill('one')
  const two = open('two')
  // Nobody asks for the drafts, and what is said next comes behind it.
  const appending = two.append('k', [{ type: 'message', message: { role: 'user', content: 'next' } }])
  const reading = two.getHistory('k')
  expect((await reading).slice(0, 2)).toEqual([user, interrupted])
  await appending
  expect(await two.getHistory('k')).toEqual([user, interrupted, { role: 'user', content: 'next' }])
})

it('makes an entry the moment a tab dies, in any other tab, and once', async () => {
  const { backend, open, kill, heard } = createTabs()
  const [two, three] = [open('two'), open('three')]
  // Both look around first, so that they hear of it and do not find it.
  await Promise.all([two.getHistory('k'), three.getHistory('k')])
  await streaming(open('one'))
  kill('one')
  const plain = createSessionStore(backend)
  await expect.poll(() => plain.getHistory('k')).toEqual([user, interrupted])
  // Behind whatever either of them does about it.
  for (const store of [two, three]) expect(await store.listDrafts('k')).toEqual([])
  expect(await plain.getHistory('k')).toEqual([user, interrupted])
  expect(await backend.listDrafts()).toEqual([])
  expect(heard.findLast((change): change is DraftChange => change.type === 'draft')).not.toHaveProperty('view')
})

it('waits for nobody any more once it is closed', async () => {
  const { open, watchers } = createTabs()
  await streaming(open('one'))
  const two = open('two')
  await two.getHistory('k')
  expect(watchers()).toBe(1)
  await two.close()
  expect(watchers()).toBe(0)
})

it('keeps a reply of which nothing was journalled out of the history', async () => {
  const { open, kill } = createTabs()
  const one = open('one')
  await one.append('k', [{ type: 'message', message: user }])
  await one.openDraft('k', { role: 'assistant' })
  kill('one')
  const two = open('two')
  expect(await two.getHistory('k')).toEqual([user])
  expect(await two.listDrafts('k')).toEqual([])
})

it('takes a draft for abandoned by its silence where nobody can tell who lives', async () => {
  const { open, pass } = createTabs()
  const one = open('one', { knowsLocks: false })
  const draft = await streaming(one)
  const two = open('two', { knowsLocks: false, watches: false })
  pass(120_000)
  expect(await two.listDrafts('k')).toMatchObject([{ id: draft }])
  await expect(two.writeDraft('k', draft, 1, { text: 'x' })).rejects.toMatchObject({ name: 'AccessDenied' })
  // A sign of life adds nothing.
  await one.writeDraft('k', draft, 1, {})
  pass(120_000)
  expect(await two.listDrafts('k')).toMatchObject([{ id: draft, text: 'half' }])
  pass(120_000)
  expect(await two.listDrafts('k')).toEqual([])
  expect(await two.getHistory('k')).toEqual([user, interrupted])
})

it('loses nothing of a reply whose tab was taken for dead and was not', async () => {
  const { open, kill } = createTabs()
  const one = open('one')
  const draft = await streaming(one)
  const two = open('two')
  await two.getHistory('k')
  kill('one')
  await expect.poll(() => two.getHistory('k')).toEqual([user, interrupted])
  await expect(one.writeDraft('k', draft, 1, { text: ' more' })).rejects.toMatchObject({ name: 'InvalidInput' })
  const receipt = await one.sealDraft('k', draft, { role: 'assistant', content: 'half more' })
  expect(await two.getHistory('k')).toEqual([user, { role: 'assistant', content: 'half more' }])
  expect((await two.read('k', { last: 1 })).entries[0]).toMatchObject({ id: receipt.id })
  // Without one there is nothing to add, and what was sealed in the right way stays so.
  await expect(one.sealDraft('k', draft)).rejects.toMatchObject({ name: 'InvalidInput' })
})

it('loses nothing of such a reply when nothing of it was journalled before', async () => {
  const { open, kill } = createTabs()
  const one = open('one')
  await one.append('k', [{ type: 'message', message: user }])
  const draft = await one.openDraft('k', { role: 'assistant' })
  const two = open('two')
  await two.getHistory('k')
  kill('one')
  await expect.poll(() => two.listDrafts('k')).toEqual([])
  await one.sealDraft('k', draft, { role: 'assistant', content: 'all' })
  expect(await two.getHistory('k')).toEqual([user, { role: 'assistant', content: 'all' }])
})

it('keeps a draft that can not be made an entry, and tries again', async () => {
  const { backend, open, kill } = createTabs()
  await streaming(open('one'))
  kill('one')
  let isFull = true
  const { commit } = backend
  Object.assign(backend, {
    commit: async (...args: Parameters<typeof commit>) =>
      isFull ? Promise.reject(new Error('full')) : commit(...args),
  })
  const two = open('two')
  expect(await two.listDrafts('k')).toMatchObject([{ text: 'half' }])
  isFull = false
  expect(await two.listDrafts('k')).toEqual([])
  expect(await two.getHistory('k')).toEqual([user, interrupted])
})

it('tells what a write added and never the whole', async () => {
  const { open, heard } = createTabs()
  const one = open('one')
  const draft = await streaming(one, 'x'.repeat(1000))
  for (let n = 1; n <= 100; n++) await one.writeDraft('k', draft, n, { text: 'y' })
  const told = heard.filter((change) => change.type === 'draft').map((change) => JSON.stringify(change).length)
  expect(told.length).toBe(102)
  expect(Math.max(...told.slice(2))).toBeLessThan(120)
})

async function cutOff() {
  const tabs = createTabs()
  const one = tabs.open('one')
  const draft = await streaming(one)
  await one.writeDraft('k', draft, 1, { parts: [{ type: 'toolInput', id: 'c', name: 'look', input: '{"at":' }] })
  tabs.kill('one')
  const two = tabs.open('two')
  const entry = (await two.read('k', { last: 1 })).entries[0]!
  return { ...tabs, two, entry, resume: { branch: entry.branch, order: entry.order, edit: entry.edit } }
}
const call = (input: string) => ({ id: 'c', type: 'function', function: { name: 'look', arguments: input } })

it('goes on with an interrupted reply, and makes that entry whole', async () => {
  const { two, resume, entry } = await cutOff()
  expect(entry.message).toEqual({ ...interrupted, tool_calls: [call('{"at":')] })
  const draft = await two.openDraft('k', { role: 'assistant', resume })
  expect(await two.listDrafts('k')).toMatchObject([
    { text: 'half', next: 1, resumes: { branch: entry.branch, order: entry.order } },
  ])
  await two.writeDraft('k', draft, 1, {
    parts: [
      { type: 'toolInput', id: 'c', input: '1}' },
      { type: 'text', text: ' and more' },
    ],
  })
  const receipt = await two.sealDraft('k', draft)
  expect(receipt.id).toBe(entry.id)
  expect((await two.read('k', { last: 2 })).entries.map(({ message }) => message)).toEqual([
    user,
    { role: 'assistant', content: 'half and more', tool_calls: [call('{"at":1}')] },
  ])
  expect(await two.listDrafts('k')).toEqual([])
})

it('keeps the longer part when whoever went on with it dies as well', async () => {
  const { two, resume, entry, open, kill } = await cutOff()
  const draft = await two.openDraft('k', { role: 'assistant', resume })
  await two.writeDraft('k', draft, 1, { text: ' and more' })
  kill('two')
  const three = open('three')
  const { entries } = await three.read('k', { last: 2 })
  expect(entries.map(({ message }) => message)).toEqual([
    user,
    { ...interrupted, content: 'half and more', tool_calls: [call('{"at":')] },
  ])
  // What was read before is not what is there now.
  await expect(three.openDraft('k', { role: 'assistant', resume })).rejects.toMatchObject({ name: 'ParentMoved' })
  await three.openDraft('k', { role: 'assistant', resume: { ...resume, edit: entries[1]!.edit } })
  expect(entries[1]!.id).toBe(entry.id)
})

it('lets one go on with a reply, and tells the other', async () => {
  const { two, open, resume } = await cutOff()
  const three = open('three')
  const both = await Promise.allSettled([
    two.openDraft('k', { role: 'assistant', resume }),
    three.openDraft('k', { role: 'assistant', resume }),
  ])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(both.find((one) => one.status === 'rejected')!.reason).toMatchObject({ name: 'AccessDenied' })
  expect(await two.listDrafts('k')).toHaveLength(1)
})

it('leaves an entry as it was when nothing was added to it, or what was added is dropped', async () => {
  const { two, resume, entry, open, kill } = await cutOff()
  const draft = await two.openDraft('k', { role: 'assistant', resume })
  await two.writeDraft('k', draft, 1, { text: ' and more' })
  await two.dropDraft('k', draft)
  expect((await two.read('k', { last: 1 })).entries).toEqual([entry])
  await two.openDraft('k', { role: 'assistant', resume })
  kill('two')
  expect((await open('three').read('k', { last: 1 })).entries).toEqual([entry])
})

it('refuses to go on with what is whole, was removed or is nowhere', async () => {
  const { two, resume, entry } = await cutOff()
  const [first] = (await two.read('k', { last: 2 })).entries
  for (const wrong of [
    { branch: first!.branch, order: first!.order },
    { branch: '', order: '0'.repeat(20) },
  ]) {
    await expect(two.openDraft('k', { role: 'assistant', resume: wrong })).rejects.toMatchObject({
      name: 'InvalidInput',
    })
  }
  await expect(two.openDraft('k', { role: 'assistant', resume: 'x' as never })).rejects.toMatchObject({
    name: 'InvalidInput',
  })
  await two.remove('k', entry)
  await expect(two.openDraft('k', { role: 'assistant', resume })).rejects.toMatchObject({ name: 'InvalidInput' })
  await two.delete('k')
  await expect(two.openDraft('k', { role: 'assistant', resume })).rejects.toMatchObject({ name: 'SessionNotFound' })
})

it('does not end a reply in a session that was deleted meanwhile', async () => {
  const { two, resume } = await cutOff()
  const draft = await two.openDraft('k', { role: 'assistant', resume })
  await two.delete('k')
  await expect(two.sealDraft('k', draft)).rejects.toMatchObject({ name: 'SessionNotFound' })
  await two.append('k', [{ type: 'message', message: user }])
  await expect(two.sealDraft('k', draft)).rejects.toMatchObject({ name: 'SessionNotFound' })
  expect(await two.getHistory('k')).toEqual([user])
})

it('puts the reply of a dead tab behind its question, whatever the tab that stores it said before and since', async () => {
  const { open, kill } = createTabs()
  const [one, two] = [open('one'), open('two')]
  const say = (store: SessionStore, role: string, content: string) =>
    store.append('k', [{ type: 'message', message: { role, content } }])
  const contents = async (store: SessionStore) => (await store.getHistory('k')).map(({ content }) => content)
  await say(two, 'user', 'before')
  await streaming(one)
  await say(two, 'user', 'since')
  kill('one')
  await two.listDrafts('k')
  expect(await contents(two)).toEqual(['before', 'q', 'half', 'since'])
  // What the tab says next is still about its own question.
  await say(two, 'assistant', 'about since')
  expect(await contents(two)).toEqual(['before', 'q', 'half', 'since', 'about since'])
})
