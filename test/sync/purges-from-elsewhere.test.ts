import { describe, expect, it, vi } from 'vitest'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createHub } from './hub.ts'
import { newDevice } from './synced-device.ts'

const soon = { timeout: 20_000, interval: 5 }

describe('what another device purged', () => {
  it.each(['purge', 'getVector'] as const)(
    'is tried again by itself where %s fails, and is said to be wrong until then',
    async (method) => {
      const hub = createHub()
      const [a, b] = [newDevice(), newDevice()]
      await a.store.addMessage('s', 'user', 'secret')
      let isFailing = false
      const store: SessionStore = {
        ...b.store,
        [method]: async (...given: readonly unknown[]) => {
          if (isFailing) throw new Error('the database was closed')
          return (b.store[method] as (...all: readonly unknown[]) => Promise<unknown>)(...given)
        },
      }
      const one = await a.sync({ transport: hub.transport() })
      await one.syncNow()
      const two = await b.sync({ transport: hub.transport(), store })
      await two.syncNow()
      await vi.waitFor(() => expect([two.status().state, two.session('s')]).toEqual(['synced', 'synced']), soon)
      isFailing = true
      await a.store.purge('s')
      const message = 'Session "s" was purged on another device, and could not be erased here: the database was closed'
      await vi.waitFor(() => expect(two.status()).toMatchObject({ state: 'error', message }), soon)
      expect(await two.syncNow()).toMatchObject({ state: 'error', message })
      expect(await b.store.getMeta('s')).toBeDefined()
      isFailing = false
      await vi.waitFor(
        async () => expect([two.status().state, await b.store.getMeta('s')]).toEqual(['synced', undefined]),
        soon,
      )
    },
  )

  it('is no longer said to be wrong once the user erases it here', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await a.store.addMessage('s', 'user', 'secret')
    const one = await a.sync({ transport: hub.transport() })
    await one.syncNow()
    const purge = (): Promise<void> => Promise.reject(new Error('the database was closed'))
    const two = await b.sync({ transport: hub.transport(), store: { ...b.store, purge } })
    await two.syncNow()
    await a.store.purge('s')
    await vi.waitFor(() => expect(two.status().state).toBe('error'), soon)
    await b.store.purge('s')
    await vi.waitFor(() => expect(two.status().state).toBe('synced'), soon)
  })

  it('is erased here before anybody says that both sides have the same', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await a.store.addMessage('s', 'user', 'secret')
    const one = await a.sync({ transport: hub.transport() })
    await one.syncNow()
    const first = await b.sync({ transport: hub.transport() })
    await first.syncNow()
    await first.close()
    await a.store.purge('s')
    await one.syncNow()
    let go = (): void => undefined
    const held = new Promise<void>((resolve) => (go = resolve))
    const purging = vi.fn<SessionStore['purge']>(async (...given) => {
      await held
      return b.store.purge(...given)
    })
    const again = await b.sync({ transport: hub.transport(), store: { ...b.store, purge: purging } })
    const said: string[] = []
    again.subscribe(() => said.push(again.status().state))
    const asked = again.syncNow()
    await vi.waitFor(() => expect(purging).toHaveBeenCalled(), soon)
    await new Promise((resolve) => setImmediate(resolve))
    expect(said).not.toContain('synced')
    go()
    expect([(await asked).state, await b.store.getMeta('s')]).toEqual(['synced', undefined])
  })
})
