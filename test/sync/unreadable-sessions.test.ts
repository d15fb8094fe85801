import { describe, expect, it, vi } from 'vitest'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createHub } from './hub.ts'
import { type Device, newDevice } from './synced-device.ts'

const soon = { timeout: 20_000, interval: 5 }
const texts = async (store: SessionStore, key: string): Promise<readonly unknown[]> =>
  (await store.getHistory(key)).map(({ content }) => content)
const message = 'Session "bad" could not be read: its rows are torn'

/** The store of a device that can't read one of its sessions for a while. */
function torn({ store }: Device): { readonly store: SessionStore; isTorn: boolean } {
  const state = {
    isTorn: false,
    store: {
      ...store,
      getVector: async (...given) => {
        if (state.isTorn && given[0] === 'bad') throw new Error('its rows are torn')
        return store.getVector(...given)
      },
    } satisfies SessionStore,
  }
  return state
}

describe('a session that can not be read', () => {
  it('keeps no other from being synced from the start on, and nothing is done with it until it can be read', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await a.store.addMessage('bad', 'user', 'from a')
    await a.store.addMessage('good', 'user', 'hello')
    await b.store.addMessage('bad', 'user', 'from b')
    await b.store.addMessage('yours', 'user', 'from b')
    const two = await b.sync({ transport: hub.transport() })
    await two.syncNow()
    const damaged = torn(a)
    damaged.isTorn = true
    const one = await a.sync({ transport: hub.transport(), store: damaged.store })
    expect(await one.syncNow()).toMatchObject({ state: 'error', message })
    await vi.waitFor(
      async () =>
        expect([await texts(b.store, 'good'), await texts(a.store, 'yours')]).toEqual([['hello'], ['from b']]),
      soon,
    )
    expect([await texts(a.store, 'bad'), await texts(b.store, 'bad'), one.session('bad')]).toEqual([
      ['from a'],
      ['from b'],
      'unknown',
    ])
    expect([await one.unsent(), (await one.plan()).download]).toEqual([{ sessions: ['bad'], attachments: 0 }, []])
    damaged.isTorn = false
    await vi.waitFor(
      async () =>
        expect([
          one.status().state,
          (await texts(a.store, 'bad')).length,
          (await texts(b.store, 'bad')).length,
        ]).toEqual(['synced', 2, 2]),
      soon,
    )
    expect((await one.unsent()).sessions).toEqual([])
  })

  it('keeps no other from being synced when that comes to be later', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    const damaged = torn(a)
    await a.store.addMessage('bad', 'user', 'one')
    const one = await a.sync({ transport: hub.transport(), store: damaged.store })
    await b.sync({ transport: hub.transport() })
    await one.syncNow()
    damaged.isTorn = true
    await a.store.addMessage('bad', 'user', 'two')
    await vi.waitFor(() => expect(one.status()).toMatchObject({ state: 'error', message }), soon)
    await a.store.addMessage('good', 'user', 'hello')
    await vi.waitFor(async () => expect(await texts(b.store, 'good')).toEqual(['hello']), soon)
    damaged.isTorn = false
    await vi.waitFor(
      async () => expect([one.status().state, await texts(b.store, 'bad')]).toEqual(['synced', ['one', 'two']]),
      soon,
    )
  })
})
