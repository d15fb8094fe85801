import { expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { InspectedSync } from '../../src/inspector/inspected-sync.ts'
import { openInspector } from '../../src/inspector/open-inspector.ts'
import type { DeviceSyncSnapshot } from '../../src/sync-client/sync-types.ts'
import { useClients } from '../bindings/support/open-clients.ts'
import { usePanels } from './support/open-panel.ts'

const open = useClients()
const inspect = usePanels()

const snapshot: DeviceSyncSnapshot = {
  isLeader: true,
  status: {
    state: 'syncing',
    pending: 1,
    progress: { done: 1, total: 2 },
    report: {
      sent: 5,
      received: 7,
      merged: 1,
      purged: 0,
      quarantined: [{ key: 'b', id: 'w.1', reason: 'Its checksum is wrong.' }],
      quarantinedCount: 1,
      blobs: { sent: 1, received: 2, missing: 3 },
      notices: ['The server is full.'],
    },
  },
  sessions: [],
  states: { a: 'synced', b: 'quarantined' },
  presence: {},
}

/** Sync whose state a test sets. */
function settableSync() {
  let current = snapshot
  const listeners = new Set<() => void>()
  const calls: string[] = []
  const sync: InspectedSync = {
    subscribe: (listener) => (listeners.add(listener), () => void listeners.delete(listener)),
    getSnapshot: () => current,
    pause: async () => void calls.push('pause'),
    resume: async () => void calls.push('resume'),
  }
  const set = (next: Partial<DeviceSyncSnapshot>): void => {
    current = { ...current, ...next }
    for (const listener of listeners) listener()
  }
  return { sync, set, calls, listeners }
}

it('shows how sync stands, of each session, with sizes and what was quarantined, live', async () => {
  const client = await open()
  await (await client.session('a')).append({ role: 'user', content: 'x'.repeat(2_000) })
  const { sync, set, listeners } = settableSync()
  const panel = inspect(client, { sync })
  panel.go('Sync')
  await expect
    .poll(() => panel.rows().map((cells) => cells.slice(0, 3)))
    .toEqual([
      ['a', 'synced', expect.stringMatching(/^2\.\d kB$/)],
      ['b', 'quarantined', ''],
    ])
  for (const text of ['Statesyncing', 'Pending1 session', '5 sent, 7 received', '3 missing', 'Quarantined1 entry'])
    expect(panel.text()).toContain(text)
  expect(panel.text()).toContain('b w.1: Its checksum is wrong.')
  expect(panel.text()).toContain('The server is full.')
  set({ states: { a: 'synced', b: 'synced' } })
  await expect.poll(() => panel.rows().map((cells) => cells[1])).toEqual(['synced', 'synced'])
  panel.go('Log')
  expect(listeners.size).toBe(0)
})

it('takes sync offline and online again where it may write', async () => {
  const { sync, calls } = settableSync()
  const panel = inspect(await open(), { sync, mayWrite: true })
  panel.go('Tools')
  panel.press('Go offline')
  await expect.poll(panel.text).toContain('Go offline: sync is paused in all tabs')
  panel.press('Go online')
  await expect.poll(panel.text).toContain('Go online: sync goes on')
  expect(calls).toEqual(['pause', 'resume'])
})

it('says that there is no sync where it was given none', async () => {
  const panel = inspect(await open())
  panel.go('Sync')
  expect(panel.text()).toContain('This inspector was opened without `sync`.')
})

it('takes a client of any message type', () => {
  interface UiMessage {
    readonly id: string
    readonly role: 'user' | 'assistant'
    readonly parts: readonly { readonly type: string }[]
  }
  const inspectTyped = (client: SessionClient<UiMessage>) => openInspector(client)
  expect(inspectTyped).toBeTypeOf('function')
})
