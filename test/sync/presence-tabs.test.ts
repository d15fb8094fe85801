import 'fake-indexeddb/auto'
import { afterEach, describe, expect, it } from 'vitest'
import { openSessionStore } from '../../src/index.ts'
import { openSync } from '../../src/sync-client/open-sync.ts'
import { createWatchedKeys } from '../../src/sync-client/watched-keys.ts'
import { createHub } from './hub.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

describe('presence in the tabs of a device', () => {
  it('refuses a user that is none at once', async () => {
    const store = await openSessionStore({ name: 'refused' })
    open.push(store)
    expect(() => openSync(store, { namespace: 'me', transport: () => createHub().transport(), presence: { user: 'Ada' as never } })).toThrow(expect.objectContaining({ name: 'InvalidInput' }))
  })
})

describe('what the tabs of a device look at', () => {
  it('is let go of when a tab says nothing any more', () => {
    const watched = createWatchedKeys(() => undefined)
    watched.hear('a', ['s', 't'])
    watched.hear('b', ['t'])
    watched.callRoll()
    watched.callRoll()
    watched.hear('b', ['t'])
    watched.callRoll()
    expect(watched.all()).toEqual(['t'])
  })

  it('is let go of when the last that asked has stopped, once each', () => {
    const watched = createWatchedKeys(() => undefined)
    const [one, two] = [watched.watch('s'), watched.watch('s')]
    one()
    one()
    expect(watched.all()).toEqual(['s'])
    two()
    expect(watched.all()).toEqual([])
  })
})
