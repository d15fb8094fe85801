import { expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { InspectedClient } from '../../src/inspector/inspector-options.ts'
import { useClients } from '../bindings/support/open-clients.ts'
import { countedStore } from './support/counted-store.ts'
import { usePanels } from './support/open-panel.ts'

const open = useClients()
const inspect = usePanels()

const fill = (client: SessionClient, key: string, count: number) =>
  client.store.append(
    key,
    Array.from({ length: count }, (_, i) => ({ type: 'message', message: { role: 'user', content: `message ${i}` } })),
  )

it('lists sessions with their sizes, and those that are made meanwhile', async () => {
  const client = await open()
  const session = await client.session({ key: 'a', title: 'First' })
  await session.append({ role: 'user', content: 'x'.repeat(5_000) })
  const panel = inspect(client)
  await expect
    .poll(panel.rows)
    .toEqual([expect.arrayContaining(['First', 'a', '1', expect.stringMatching(/^5\.\d kB$/)])])
  await (await client.session({ key: 'b', title: 'Second' })).append({ role: 'user', content: 'y' })
  await expect.poll(() => panel.rows().map(([title]) => title)).toEqual(['Second', 'First'])
  expect(panel.text()).toContain('2 sessions')
})

it('knows the size of a session anew some time after it has grown', async () => {
  const client = await open()
  const session = await client.session('a')
  await session.append({ role: 'user', content: 'x'.repeat(5_000) })
  const panel = inspect(client)
  await expect.poll(panel.rows).toEqual([expect.arrayContaining([expect.stringMatching(/^5\.\d kB$/)])])
  await session.append({ role: 'user', content: 'y'.repeat(5_000) })
  await expect.poll(panel.rows).toEqual([expect.arrayContaining([expect.stringMatching(/^10\.\d kB$/)])])
})

it('filters sessions by their title, and shows the trash', async () => {
  const client = await open()
  for (const key of ['apple', 'pear']) await client.session({ key, title: `About ${key}` })
  await client.delete('pear')
  const panel = inspect(client)
  await expect.poll(() => panel.rows().map(([title]) => title)).toEqual(['About apple'])
  panel.view().querySelector<HTMLInputElement>('[type=checkbox]')!.click()
  await expect.poll(() => panel.rows().map(([title]) => title)).toEqual(['About pear'])
  const filter = panel.view().querySelector<HTMLInputElement>('[type=search]')!
  filter.value = 'apple'
  filter.dispatchEvent(new Event('input'))
  await expect.poll(panel.text).toContain('There are no sessions here.')
})

it('puts a session in its place by title again when it is renamed, also the first one', async () => {
  const client = await open()
  const [first] = await Promise.all(['a', 'b'].map((title) => client.session({ key: `key of ${title}`, title })))
  const panel = inspect(client)
  const order = panel.view().querySelector('select')!
  order.value = 'title'
  order.dispatchEvent(new Event('change'))
  await expect.poll(() => panel.rows().map(([title]) => title)).toEqual(['a', 'b'])
  await first!.rename('c')
  await expect.poll(() => panel.rows().map(([title]) => title)).toEqual(['b', 'c'])
  const filter = panel.view().querySelector<HTMLInputElement>('[type=search]')!
  filter.value = 'b'
  filter.dispatchEvent(new Event('input'))
  await expect.poll(() => panel.rows().map(([title]) => title)).toEqual(['b'])
  await (await client.session('key of b')).rename('d')
  await expect.poll(panel.text).toContain('There are no sessions here.')
})

it('shows the log of a session from its end, and what is appended in another tab', async () => {
  const name = `inspector-${crypto.randomUUID()}`
  const [client, other] = [await open(name), await open(name)]
  const session = await client.session('a')
  await session.append({ role: 'user', content: 'question' })
  const panel = inspect(client)
  await expect.poll(panel.rows).toHaveLength(1)
  panel.row('question').click()
  await expect.poll(() => panel.rows().map(([kind, content]) => [kind, content])).toEqual([['user', 'question']])
  await (await other.session('a')).append({ role: 'assistant', content: 'answer' })
  await expect
    .poll(() => panel.rows().map(([kind, content]) => [kind, content]))
    .toEqual([
      ['user', 'question'],
      ['assistant', 'answer'],
    ])
})

it('leaves the log where it is while another view is shown, and reads nothing for it', async () => {
  const client = await open()
  await fill(client, 'a', 300)
  const { client: counted, calls, clear } = countedStore(client)
  const panel = inspect(counted)
  await expect.poll(panel.rows).toHaveLength(1)
  panel.row('a').click()
  await expect.poll(() => panel.rows().at(-1)?.[1]).toBe('message 299')
  clear()
  panel.go('Tabs')
  await expect.poll(panel.text).toContain('Looked at')
  panel.go('Log')
  await expect.poll(() => panel.rows().at(-1)?.[1]).toBe('message 299')
  expect(calls.filter(({ method }) => method === 'read')).toEqual([])
})

it('shows the end of a log that was read while another view was shown', async () => {
  const client = await open()
  await fill(client, 'a', 300)
  const { client: counted, calls } = countedStore(client)
  const panel = inspect(counted)
  await expect.poll(panel.rows).toHaveLength(1)
  panel.row('a').click()
  panel.go('Tabs')
  await expect.poll(() => calls.filter(({ method }) => method === 'read').map(({ gave }) => gave)).toEqual([100])
  await expect.poll(panel.text).toContain('Looked at')
  panel.go('Log')
  await expect.poll(() => panel.rows().at(-1)?.[1]).toBe('message 299')
})

it('shows an entry as it is seen and as it was stored, and the edit between the two', async () => {
  const client = await open()
  const session = await client.session('a')
  const entry = await session.append({ role: 'user', content: 'before' })
  await session.edit(entry, { role: 'user', content: 'after' })
  const panel = inspect(client)
  await expect.poll(panel.rows).toHaveLength(1)
  panel.row('a').click()
  await expect.poll(() => panel.rows().map((cells) => cells[2])).toEqual(['edited'])
  panel.row('after').click()
  await expect.poll(panel.text).toContain('"content": "after"')
  expect(panel.text()).not.toContain('before')
  panel.press('Stored')
  await expect.poll(panel.text).toContain('"content": "before"')
  expect(panel.text()).toContain('"type": "edit"')
  expect(panel.text()).toContain('"crc"')
})

it('finds an entry by its message id', async () => {
  const client = await open()
  const session = await client.session('a')
  for (const id of ['m1', 'm2', 'm3']) await session.append({ role: 'user', content: `text of ${id}`, id })
  const panel = inspect(client)
  await expect.poll(panel.rows).toHaveLength(1)
  panel.row('a').click()
  await expect.poll(panel.rows).toHaveLength(3)
  const id = panel.view().querySelector<HTMLInputElement>('[aria-label="Message id"]')!
  id.value = 'm2'
  id.form!.requestSubmit()
  await expect.poll(() => panel.view().querySelector('.detail')?.textContent).toContain('text of m2')
  id.value = 'm9'
  id.form!.requestSubmit()
  await expect.poll(panel.said).toContain('No entry has the message id "m9".')
})

it('opens nothing in a log that was chosen while an entry of another one was searched for', async () => {
  const client = await open()
  const [a, b] = [await client.session('a'), await client.session('b')]
  await a.append({ role: 'user', content: 'of a', id: 'm1' })
  await b.append({ role: 'user', content: 'of b' })
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  const find: typeof client.store.find = (...args) => released.then(() => client.store.find(...args))
  const panel = inspect({ ...client, store: { ...client.store, find } })
  await expect.poll(panel.rows).toHaveLength(2)
  panel.row('of a').click()
  await expect.poll(() => panel.rows().map((cells) => cells[1])).toEqual(['of a'])
  const id = panel.view().querySelector<HTMLInputElement>('[aria-label="Message id"]')!
  id.value = 'm1'
  id.form!.requestSubmit()
  panel.go('Sessions')
  panel.row('of b').click()
  await expect.poll(() => panel.rows().map((cells) => cells[1])).toEqual(['of b'])
  release()
  await b.append({ role: 'assistant', content: 'more of b' })
  await expect.poll(() => panel.rows().map((cells) => cells[1])).toEqual(['of b', 'more of b'])
  expect(panel.view().querySelector<HTMLElement>('.detail')!.hidden).toBe(true)
})

it('shows the branches as a tree, and opens the log of one', async () => {
  const client = await open()
  const session = await client.session('a')
  await session.append({ role: 'user', content: 'question' })
  const reply = await session.append({ role: 'assistant', content: 'one' })
  const branch = await session.branches.before(reply, { name: 'again' })
  await session.append({ role: 'assistant', content: 'two' })
  const panel = inspect(client)
  await expect.poll(panel.rows).toHaveLength(1)
  panel.row('a').click()
  panel.go('Branches')
  const items = () =>
    [...panel.view().querySelectorAll<HTMLElement>('[role=treeitem]')].map((item) => [
      item.querySelector('strong')!.textContent,
      item.getAttribute('aria-level'),
      item.getAttribute('aria-selected'),
    ])
  await expect.poll(items).toEqual([
    ['main', '1', 'false'],
    ['again', '2', 'true'],
  ])
  panel.view().querySelector<HTMLElement>('[role=treeitem]')!.click()
  await expect.poll(() => panel.rows().map((cells) => cells[1])).toEqual(['question', 'one'])
  expect(branch.id).not.toBe('')
})

it('shows a reply grow in another tab until it is stored', async () => {
  const name = `inspector-${crypto.randomUUID()}`
  const [client, other] = [await open(name), await open(name)]
  const session = await other.session('a')
  const first = session.stream()
  first.write('before it was opened')
  await expect.poll(async () => (await client.store.listDrafts('a')).length).toBe(1)
  const panel = inspect(client)
  panel.go('Drafts')
  await expect.poll(panel.text).toContain('before it was opened')
  first.write(', and after')
  await expect.poll(panel.text).toContain('before it was opened, and after')
  await first.end()
  await expect.poll(panel.text).toContain('No reply is being streamed.')
})

it('shows no reply that ended while the replies were read', async () => {
  const client = await open()
  const stream = (await client.session('a')).stream()
  stream.write('soon over')
  await expect.poll(async () => (await client.store.listDrafts('a')).length).toBe(1)
  const events = new EventTarget()
  const heard = (name: string) => new Promise((resolve) => events.addEventListener(name, resolve, { once: true }))
  const slow: InspectedClient = {
    ...client,
    store: {
      ...client.store,
      listDrafts: async (key) => {
        const drafts = await client.store.listDrafts(key)
        const isOver = heard('over')
        events.dispatchEvent(new Event('read'))
        await isOver
        setTimeout(() => events.dispatchEvent(new Event('taken')))
        return drafts
      },
    },
  }
  const [isRead, isTaken] = [heard('read'), heard('taken')]
  const panel = inspect(slow)
  panel.go('Drafts')
  await isRead
  // The panel was told before.
  const stop = client.subscribe((change) => {
    if (change.type === 'draft' && change.view === undefined && change.added === undefined)
      events.dispatchEvent(new Event('over'))
  })
  await stream.end()
  await isTaken
  stop()
  expect(panel.text()).not.toContain('soon over')
  expect(panel.text()).toContain('No reply is being streamed.')
})

it('shows what a model would get within a budget of tokens', async () => {
  const client = await open()
  const session = await client.session('a')
  for (let i = 0; i < 10; i++) await session.append({ role: 'user', content: `${i} ${'word '.repeat(200)}` })
  const panel = inspect(client)
  await expect.poll(panel.rows).toHaveLength(1)
  panel.row('a').click()
  panel.go('Context')
  await expect.poll(panel.rows).toHaveLength(10)
  const budget = panel.view().querySelector<HTMLInputElement>('[type=number]')!
  budget.value = '600'
  budget.dispatchEvent(new Event('change'))
  await expect.poll(() => panel.rows().map((cells) => cells[2]![0])).toEqual(['8', '9'])
  const context = await session.context({ maxTokens: 600 })
  expect(panel.text()).toContain(`${context.tokens.total} of 600`)
  expect(panel.text()).toContain('8 messages')
  expect(panel.view().querySelector('.tokens')!.getAttribute('aria-label')).toBe(
    `messages: ${context.tokens.messages} tokens, free: ${600 - context.tokens.total} tokens`,
  )
})

it.each([
  ['Branches', '.tree > [role=treeitem]'],
  ['Context', '.canvas > [role=row]'],
] as const)('shows nothing of a session under the name of another whose %s can’t be read', async (view, selector) => {
  const client = await open()
  for (const key of ['apple', 'pear']) await (await client.session(key)).append({ role: 'user', content: 'text' })
  const damaged: InspectedClient = {
    ...client,
    session: (key) => (key === 'pear' ? Promise.reject(new Error('It is damaged.')) : client.session(key)),
  }
  const panel = inspect(damaged)
  const choose = async (key: string) => {
    panel.go('Sessions')
    await expect.poll(panel.rows).toHaveLength(2)
    panel.row(key).click()
    panel.go(view)
  }
  const items = () => panel.view().querySelectorAll(selector).length
  await choose('apple')
  await expect.poll(items).toBe(1)
  await choose('pear')
  expect(items()).toBe(0)
  await expect.poll(panel.text).toContain('It is damaged.')
  expect(items()).toBe(0)
})

it('tells which tab leads, without making this one a candidate', async () => {
  const client = await open()
  const panel = inspect(client)
  panel.go('Tabs')
  await expect.poll(panel.text).toContain('Leadernone')
  expect(panel.text()).toContain('This tab')
  expect(panel.text()).toContain('is no candidate')
  const leading = client.leadership()
  await expect.poll(() => leading.getSnapshot()?.isLeader).toBe(true)
  panel.press('Refresh')
  await expect.poll(panel.text).toContain('Leaderthis tab')
  leading.close()
})

it('shows where the store is, what it holds by kind, and what was recovered', async () => {
  const client = await open()
  await (await client.session('a')).append({ role: 'user', content: 'hello' })
  await client.blobs.put(new Blob(['some bytes']))
  const panel = inspect(client)
  panel.go('Storage')
  await expect.poll(panel.text).toContain('Modeworker')
  await expect.poll(panel.text).toMatch(/Attachments1?10 bytes/)
  expect(panel.text()).toContain('Durableyes')
  expect(panel.text()).toContain('Mirroron')
})

it('lists commits with the time from writing to knowing, the newest first', async () => {
  const client = await open()
  const session = await client.session('a')
  const panel = inspect(client)
  panel.go('Commits')
  expect(panel.text()).toContain('Nothing has changed')
  await session.append({ role: 'user', content: 'one' })
  await session.append({ role: 'user', content: 'two' })
  await expect.poll(panel.rows).toHaveLength(2)
  const [newest] = panel.rows()
  expect(newest![1]).toMatch(/^\d+ ms$/)
  expect(newest!.slice(2)).toEqual(['session', 'a', expect.stringContaining('1 entry'), '2'])
  await expect.poll(panel.text).toMatch(/The store answers in\d+ ms/)
})
