import '../support/global-indexeddb.ts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openSessionStore, type SessionClient } from '../../src/index.ts'
import type { PeerState } from '../../src/sync/presence/presence-state.ts'
import { openSync } from '../../src/sync-client/open-sync.ts'
import type { DeviceSync } from '../../src/sync-client/sync-types.ts'
import { createWatchedKeys } from '../../src/sync-client/watched-keys.ts'
import { inPage, withLocks } from './device-tab.ts'
import { createHub, type Hub } from './hub.ts'

const open: { close(): Promise<void> }[] = []
withLocks()
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})
const soon = { timeout: 20_000, interval: 10 }

interface Tab {
  readonly client: SessionClient
  readonly sync: DeviceSync
  readonly peers: () => readonly PeerState[]
  /** The most that were ever shown at once. */
  readonly most: () => number
}
async function openTab(hub: Hub, device: string): Promise<Tab> {
  const client = await openSessionStore({ name: device, ...inPage })
  const sync = openSync(client, {
    namespace: 'me',
    transport: () => hub.transport(),
    retryMs: [5, 20],
    announceMs: 5,
    presence: { user: { name: device } },
  })
  open.push(client, sync)
  const peers = (): readonly PeerState[] => sync.getSnapshot().presence['s'] ?? []
  let most = 0
  sync.subscribe(() => (most = Math.max(most, peers().length)))
  return { client, sync, peers, most: () => most }
}
const names = (tabs: readonly Tab[]): unknown[] =>
  tabs.map(({ peers }) =>
    peers()
      .map(({ user }) => user['name'])
      .join(),
  )
const leads = ({ sync }: Tab): boolean => sync.getSnapshot().isLeader

/** Two devices with two tabs each, of which the second ones look at the session and do not lead. */
async function openTabs(
  test: string,
): Promise<{
  readonly ada: readonly [Tab, Tab]
  readonly bob: readonly [Tab, Tab]
  readonly all: readonly Tab[]
  readonly stop: () => void
}> {
  const hub = createHub()
  const pair = async (device: string): Promise<readonly [Tab, Tab]> => {
    const first = await openTab(hub, device)
    await vi.waitFor(() => expect(leads(first)).toBe(true), soon)
    return [first, await openTab(hub, device)]
  }
  const [ada, bob] = [await pair(`Ada ${test}`), await pair(`Bob ${test}`)]
  await ada[0].client.store.addMessage('s', 'user', 'hello')
  ada[1].sync.watch('s')
  const stop = bob[1].sync.watch('s')
  const all = [...ada, ...bob]
  await vi.waitFor(() => expect(names(all)).toEqual([`Bob ${test}`, `Bob ${test}`, `Ada ${test}`, `Ada ${test}`]), soon)
  return { ada, bob, all, stop }
}

describe('presence in the tabs of a device', () => {
  it('shows in every tab who is there, once for each device, who types, and who has left', async () => {
    const { ada, bob, all, stop } = await openTabs('1')
    bob[0].sync.watch('s')()
    bob[1].sync.setTyping('s', true)
    await vi.waitFor(() => expect(ada.map(({ peers }) => peers()[0]?.isTyping)).toEqual([true, true]), soon)
    bob[1].sync.setTyping('s', false)
    await vi.waitFor(() => expect(ada.map(({ peers }) => peers()[0]?.isTyping)).toEqual([false, false]), soon)
    stop()
    await vi.waitFor(() => expect(names(ada)).toEqual(['', '']), soon)
    expect(all.map(({ most }) => most())).toEqual([1, 1, 1, 1])
  })

  it('shows a reply as it grows in any tab of another device, and stores none of it', async () => {
    const { ada, bob } = await openTabs('2')
    const draft = await bob[1].client.store.openDraft('s', { role: 'assistant' })
    let text = ''
    for (let n = 0; n < 3; n++) {
      await bob[1].client.store.writeDraft('s', draft, n, { text: `piece ${n} ` })
      text += `piece ${n} `
      await vi.waitFor(
        () =>
          expect(ada.map(({ peers }) => peers()[0]?.draft)).toEqual(
            [0, 1].map(() => ({ id: draft, role: 'assistant', from: 0, text })),
          ),
        soon,
      )
    }
    expect(await ada[1].client.store.listDrafts('s')).toEqual([])
    await bob[1].client.store.sealDraft('s', draft)
    await vi.waitFor(() => expect(ada.map(({ peers }) => peers()[0]?.draft)).toEqual([undefined, undefined]), soon)
  })

  it.each<readonly [string, string, (tab: Tab) => Promise<void>]>([
    ['its store', '3', ({ client }) => client.close()],
    ['its sync only', '4', ({ sync }) => sync.close()],
  ])(
    'goes on as the same, while a reply is streamed, when the tab that leads closes %s, and shows no tab itself',
    async (_, test, close) => {
      const { ada, bob } = await openTabs(test)
      const [{ id }] = ada[1].peers() as [PeerState]
      const draft = await bob[1].client.store.openDraft('s', { role: 'assistant' })
      await bob[1].client.store.writeDraft('s', draft, 0, { text: 'before, ' })
      await vi.waitFor(() => expect(ada[1].peers()[0]?.draft?.text).toBe('before, '), soon)
      await close(bob[0])
      await vi.waitFor(() => expect(leads(bob[1])).toBe(true), soon)
      await bob[1].client.store.writeDraft('s', draft, 1, { text: 'after' })
      await vi.waitFor(
        () =>
          expect(ada.map(({ peers }) => peers().map((peer) => [peer.id, peer.draft?.text]))).toEqual([
            [[id, 'before, after']],
            [[id, 'before, after']],
          ]),
        soon,
      )
      await vi.waitFor(() => expect(names([bob[1]])).toEqual([`Ada ${test}`]), soon)
      expect([...ada, bob[1]].map(({ most }) => most())).toEqual([1, 1, 1])
    },
  )

  it('refuses a user that is none at once', async () => {
    const client = await openSessionStore({ name: 'refused', ...inPage })
    open.push(client)
    expect(() =>
      openSync(client, {
        namespace: 'me',
        transport: () => createHub().transport(),
        presence: { user: 'Ada' as never },
      }),
    ).toThrow(expect.objectContaining({ name: 'InvalidInput' }))
  })
})

describe('what the tabs of a device look at', () => {
  /** Tabs of which nobody can tell that they are gone. */
  const lasting = () => () => undefined

  it('is let go of when a tab says nothing any more', () => {
    const watched = createWatchedKeys(() => undefined, lasting)
    watched.setTabKeys('a', ['s', 't'])
    watched.setTabKeys('b', ['t'])
    watched.callRoll()
    watched.callRoll()
    watched.setTabKeys('b', ['t'])
    watched.callRoll()
    expect(watched.all()).toEqual(['t'])
  })

  it('is let go of at once when the lock of a tab is free, and said', () => {
    const gone = new Map<string, () => void>()
    const said: unknown[] = []
    const watched = createWatchedKeys(
      () => said.push(watched.all()),
      (tab = '', act) => {
        gone.set(tab, act)
        return () => void gone.delete(tab)
      },
    )
    watched.setTabKeys('a', ['s'])
    watched.setTabKeys('a', ['s', 't'])
    watched.setTabKeys('b', ['t'])
    gone.get('a')!()
    expect([said, [...gone.keys()]]).toEqual([[['t']], ['b']])
    watched.setTabKeys('b', [])
    expect([watched.all(), gone.size]).toEqual([[], 0])
  })

  it('is asked for anew where another tab leads', () => {
    const watched = createWatchedKeys(() => undefined, lasting)
    watched.watch('mine')
    watched.setTabKeys('a', ['s'])
    watched.forgetOthers()
    expect(watched.all()).toEqual(['mine'])
  })

  it('is let go of when the last that asked has stopped, once each', () => {
    const watched = createWatchedKeys(() => undefined, lasting)
    const [one, two] = [watched.watch('s'), watched.watch('s')]
    one()
    one()
    expect(watched.all()).toEqual(['s'])
    two()
    expect(watched.all()).toEqual([])
  })
})
