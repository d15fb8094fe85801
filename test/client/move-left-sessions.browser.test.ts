import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { StoreMode } from '../../src/client/open-options.ts'
import { deleteSessionStore } from '../../src/client/opening/delete-session-store.ts'
import { openSessionStore } from '../../src/client/opening/open-session-store.ts'
import type { StoreChange } from '../../src/contract/change.ts'
import { openDirectStore } from '../../src/in-page/open-direct-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'

let name = ''
const clients: SessionClient[] = []
async function open(mode: StoreMode, onChange?: (change: StoreChange) => void): Promise<SessionClient> {
  const client = await openSessionStore({ name, modes: [mode], ...(onChange === undefined ? {} : { onChange }) })
  clients.push(client)
  return client
}
beforeEach(() => {
  localStorage.clear()
  name = `left-${crypto.randomUUID()}`
})
afterEach(async () => {
  vi.restoreAllMocks()
  for (const client of clients.splice(0)) await client.close()
})

const texts = (): string[] => Object.keys(localStorage).filter((key) => key.startsWith(`keepsession:${name}:session:`))
const contents = async (client: SessionClient, key: string): Promise<unknown[]> =>
  (await client.store.getHistory(key)).map(({ content }) => content)

/** What a run without IndexedDB leaves. */
async function leave(...keys: string[]): Promise<void> {
  const client = await open('web-storage')
  for (const key of keys) {
    await client.store.addMessage(key, 'user', `${key} asks`)
    await client.store.addMessage(key, 'assistant', `${key} is told`)
  }
  await client.close()
}

/** Has the database refuse every commit that carries this text, as a full disk would. */
function refuseCommits(text: string): void {
  const { put } = IDBObjectStore.prototype
  vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (
    this: IDBObjectStore,
    value: unknown,
    key?: IDBValidKey,
  ) {
    if (JSON.stringify(value).includes(text)) throw new DOMException('No space is left.', 'QuotaExceededError')
    return key === undefined ? put.call(this, value) : put.call(this, value, key)
  })
}

/** Entries of a session in the database itself. */
async function entriesInDatabase(key: string): Promise<number> {
  const store = createSessionStore(await openIndexedDbBackend({ name }))
  const { entries } = await store.changes(key)
  await store.close()
  return entries.length
}

describe('sessions that a run without IndexedDB left', () => {
  it.each(['worker', 'inline-worker', 'in-page'] as const)(
    'are moved when it works again, and said (%s)',
    async (mode) => {
      await leave('a', 'b')
      const notices: StoreChange[] = []
      const client = await open(mode, (change) => change.type === 'notice' && notices.push(change))
      expect(await contents(client, 'a')).toEqual(['a asks', 'a is told'])
      expect((await client.listSessions()).sessions.map(({ key }) => key).toSorted()).toEqual(['a', 'b'])
      const { moved } = await client.upkeep.health()
      expect({ sessions: moved?.sessions.toSorted(), left: moved?.left }).toEqual({ sessions: ['a', 'b'], left: [] })
      expect(texts()).toEqual([])
      await expect.poll(() => notices).toMatchObject([{ name: 'moved', message: expect.stringContaining('2') }])
    },
  )

  it('are moved with the rows of collections, which replace older ones', async () => {
    const before = await open('worker')
    await before.collection('settings').write([
      { type: 'put', key: 'theme', value: 'old' },
      { type: 'put', key: 'kept', value: 1 },
    ])
    await before.close()
    const without = await open('web-storage')
    const bytes = new Uint8Array([1, 2, 3])
    await without.collection('settings').write([
      { type: 'put', key: 'theme', value: 'new' },
      { type: 'put', key: 'bytes', value: bytes },
    ])
    await without.close()
    const settings = (await open('worker')).collection('settings')
    expect(await settings.getAll(['theme', 'kept', 'bytes'])).toEqual(['new', 1, bytes])
    expect(Object.keys(localStorage).filter((key) => key.startsWith(`keepsession:${name}:row:`))).toEqual([])
  })

  it('are moved by the entry that works in the page alone', async () => {
    await leave('a')
    const client = await openDirectStore({ name })
    clients.push(client)
    expect(await client.upkeep.health()).toMatchObject({ mode: 'in-page', moved: { sessions: ['a'] } })
    expect(await contents(client, 'a')).toHaveLength(2)
  })

  it('are moved once', async () => {
    await leave('a')
    await (await open('worker')).close()
    const again = await open('worker')
    expect((await again.upkeep.health()).moved).toBe(undefined)
    expect(await contents(again, 'a')).toHaveLength(2)
  })

  it('are moved once by two tabs that start at once, and both see them', async () => {
    await leave('a', 'b', 'c')
    const tabs = await Promise.all([open('worker'), open('worker'), open('in-page')])
    const moved = (await Promise.all(tabs.map((tab) => tab.upkeep.health()))).flatMap(
      (health) => health.moved?.sessions ?? [],
    )
    expect(moved.toSorted()).toEqual(['a', 'b', 'c'])
    for (const tab of tabs) {
      expect(await contents(tab, 'b')).toEqual(['b asks', 'b is told'])
      expect((await tab.listSessions()).total).toBe(3)
    }
  })

  it('of another store are none of its business', async () => {
    await leave('a')
    const other = name
    name = `${name}-2`
    expect((await (await open('worker')).upkeep.health()).moved).toBe(undefined)
    name = other
    expect(texts()).toHaveLength(1)
  })

  it('stay while a page works on them, and nothing that either writes is lost', async () => {
    await leave('a', 'b')
    const old = await open('web-storage')
    const client = await open('worker')
    expect((await client.upkeep.health()).moved).toMatchObject({ sessions: [], left: [{ key: 'a' }, { key: 'b' }] })
    await old.store.addMessage('a', 'user', 'from the old one')
    await client.store.addMessage('a', 'user', 'from the new one')
    expect((await contents(old, 'a')).slice(2)).toEqual(['from the old one', 'from the new one'])
    await old.close()
    await client.close()
    const next = await open('worker')
    expect((await next.upkeep.health()).moved?.sessions.toSorted()).toEqual(['a', 'b'])
    expect((await contents(next, 'a')).slice(2)).toEqual(['from the old one', 'from the new one'])
  })
})

describe('when the database refuses one of them in the middle', () => {
  it('that one is worked on where it is, the others are moved, and the next start moves it too', async () => {
    await leave('a', 'b', 'c')
    refuseCommits('b is told')
    const notices: StoreChange[] = []
    const client = await open('in-page', (change) => change.type === 'notice' && notices.push(change))
    const { moved, mode } = await client.upkeep.health()
    expect({ mode, sessions: moved?.sessions.toSorted(), left: moved?.left }).toMatchObject({
      mode: 'in-page',
      sessions: ['a', 'c'],
      left: [{ key: 'b', reason: expect.stringMatching(/space/i) }],
    })
    expect(texts()).toHaveLength(1)
    expect(await entriesInDatabase('b')).toBe(0)
    await expect
      .poll(() => notices.map((notice) => 'name' in notice && notice.name))
      .toEqual(['spaceLow', 'moved', 'degraded'])

    expect((await client.listSessions()).sessions.map(({ key }) => key).toSorted()).toEqual(['a', 'b', 'c'])
    const session = await client.session('b')
    const transcript = session.transcript()
    await transcript.ready()
    await session.append({ role: 'user', content: 'goes on' })
    await expect.poll(() => transcript.getSnapshot()?.entries).toHaveLength(3)
    await client.close()

    vi.restoreAllMocks()
    const next = await open('worker')
    expect((await next.upkeep.health()).moved).toEqual({ sessions: ['b'], left: [] })
    expect(await contents(next, 'b')).toEqual(['b asks', 'b is told', 'goes on'])
    expect(texts()).toEqual([])
  })

  it('an attempt that stored it and got no further adds nothing twice', async () => {
    await leave('a')
    const [key] = texts()
    const text = localStorage.getItem(key!)!
    const first = await open('worker')
    await first.store.addMessage('a', 'user', 'later')
    await first.close()
    localStorage.setItem(key!, text)
    const second = await open('worker')
    expect(await contents(second, 'a')).toEqual(['a asks', 'a is told', 'later'])
    expect(texts()).toEqual([])
  })

  it('what can not be read stays as it is, and costs no other', async () => {
    await leave('a', 'b')
    const damaged = texts().find((key) => key.endsWith(':b'))!
    const text = `damaged ${localStorage.getItem(damaged)!.slice(20)}`
    localStorage.setItem(damaged, text)
    const client = await open('worker')
    expect((await client.upkeep.health()).moved).toMatchObject({ sessions: ['a'], left: [{ key: 'b' }] })
    expect(localStorage.getItem(damaged)).toBe(text)
    expect(await contents(client, 'a')).toHaveLength(2)
  })
})

it('deletes nothing of a store whose name begins with its own and a colon', async () => {
  await leave('mine')
  const own = name
  name = `${own}:b`
  await leave('theirs')
  await deleteSessionStore(own)
  const client = await open('web-storage')
  expect(await contents(client, 'theirs')).toEqual(['theirs asks', 'theirs is told'])
  await client.close()
  name = own
  expect(texts()).toEqual([])
})
