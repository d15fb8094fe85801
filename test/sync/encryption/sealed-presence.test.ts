import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Awareness, encodeAwarenessUpdate } from 'y-protocols/awareness'
import * as Y from 'yjs'
import { drawRootKey } from '../../../src/sync/encryption/root-key.ts'
import { sealedPresence } from '../../../src/sync/encryption/sealed-presence.ts'
import { openSyncKeys, type SyncKeys } from '../../../src/sync/encryption/sync-keys.ts'
import type { SyncTransport } from '../../../src/sync/link.ts'
import { createPresence } from '../../../src/sync/presence/create-presence.ts'
import type { PresenceState } from '../../../src/sync/presence/presence-state.ts'
import { admitPresence } from '../../../src/sync/transports/admit-presence.ts'
import { connectPresence } from '../../../src/sync/transports/connect-presence.ts'
import { createHub } from '../hub.ts'
import { createDevice } from '../synced-device.ts'

const drawKeys = (): Promise<SyncKeys> => openSyncKeys(drawRootKey(), 'me')
const state: PresenceState = {
  device: 'some device',
  user: { name: 'Ada' },
  typing: true,
  draft: { id: 'd', role: 'assistant', from: 0, text: 'a reply about zebras' },
}
const bytesOf = (content: unknown): Buffer => Buffer.from(String(content), 'base64url')
const soon = { timeout: 20_000, interval: 5 }

describe('sealed presence', () => {
  it('comes back as it was, and shows nothing of itself', async () => {
    const keys = await drawKeys()
    const codec = sealedPresence(() => keys)
    const sealed = await codec.write(state, 'id')
    expect(await codec.read(sealed, 'id')).toEqual(state)
    for (const text of ['Ada', 'zebras', 'device', 'typing'])
      expect([String(sealed).includes(text), bytesOf(sealed).includes(text)]).toEqual([false, false])
  })

  it('is other bytes each time, so that nobody sees that nothing has changed', async () => {
    const keys = await drawKeys()
    const codec = sealedPresence(() => keys)
    expect(await codec.write(state, 'id')).not.toBe(await codec.write(state, 'id'))
  })

  it('is longer by 28 bytes, and by a third as text', async () => {
    const keys = await drawKeys()
    const sealed = await sealedPresence(() => keys).write(state, 'id')
    const plain = Buffer.byteLength(JSON.stringify(state))
    expect([bytesOf(sealed).length, String(sealed).length]).toEqual([plain + 28, Math.ceil(((plain + 28) * 4) / 3)])
  })

  it('is nobody in another session, and under another key', async () => {
    const [keys, others] = [await drawKeys(), await drawKeys()]
    const sealed = await sealedPresence(() => keys).write(state, 'id')
    expect(await sealedPresence(() => keys).read(sealed, 'another')).toBeUndefined()
    expect(await sealedPresence(() => others).read(sealed, 'id')).toBeUndefined()
  })

  it('is nobody when any of its parts was changed, or cut off', async () => {
    const keys = await drawKeys()
    const codec = sealedPresence(() => keys)
    const bytes = bytesOf(await codec.write(state, 'id'))
    for (const at of [0, 11, 12, 40, bytes.length - 1]) {
      const changed = Uint8Array.from(bytes, (byte, i) => (i === at ? byte ^ 1 : byte))
      expect(await codec.read(Buffer.from(changed).toString('base64url'), 'id')).toBeUndefined()
    }
    for (const length of [0, 5, 12, 27, 28, bytes.length - 1])
      expect(await codec.read(bytes.subarray(0, length).toString('base64url'), 'id')).toBeUndefined()
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a state in the clear', state],
    ['a text that is no base64', '~~~'],
    ['a number', 7],
  ])('is nobody when there is %s', async (_, content) => {
    const keys = await drawKeys()
    expect(await sealedPresence(() => keys).read(content, 'id')).toBeUndefined()
  })

  it('goes on under the key that is used now', async () => {
    const [first, second] = [await drawKeys(), await drawKeys()]
    let now = first
    const codec = sealedPresence(() => now)
    const before = await codec.write(state, 'id')
    now = second
    expect(await codec.read(before, 'id')).toBeUndefined()
    expect(await sealedPresence(() => second).read(await codec.write(state, 'id'), 'id')).toEqual(state)
  })

  it('is let in by the others at its largest', async () => {
    const keys = await drawKeys()
    const largest: PresenceState = {
      ...state,
      user: { name: '字'.repeat(1980) },
      draft: { id: 'd', role: 'assistant', from: 0, text: '\u0001'.repeat(2000) },
    }
    const [mine, theirs] = [new Awareness(new Y.Doc()), new Awareness(new Y.Doc())]
    onTestFinished(() => [mine, theirs].forEach((awareness) => awareness.destroy()))
    mine.setLocalState({ content: await sealedPresence(() => keys).write(largest, 'id') })
    expect(admitPresence(theirs, encodeAwarenessUpdate(mine, [mine.clientID]))).toBeDefined()
  })
})

/** A hub's way that shows what it carries of who is here. */
function overheard(transport: SyncTransport, heard: Uint8Array[]): SyncTransport {
  return {
    ...transport,
    open: (link) => {
      const { awareness } = link
      awareness?.on('update', () => heard.push(encodeAwarenessUpdate(awareness, [...awareness.states.keys()])))
      return transport.open(link)
    },
  }
}

describe('presence of devices that encrypt', () => {
  it('is seen by those with the key, in none of what the server carries, and by nobody with another key', async () => {
    const hub = createHub()
    const heard: Uint8Array[] = []
    const [right, wrong] = [await drawKeys(), await drawKeys()]
    const [a, b] = await Promise.all(
      [right, right].map(async (keys, i) => {
        const device = createDevice()
        onTestFinished(() => device.close())
        return {
          device,
          sync: await device.sync({
            transport: overheard(hub.transport(), heard),
            keys,
            presence: { user: { name: i === 0 ? 'Ada' : 'Bob' } },
          }),
        }
      }),
    )
    await a!.device.store.addMessage('s', 'user', 'hello')
    a!.sync.watch('s')
    b!.sync.watch('s')
    const draft = await a!.device.store.openDraft('s', { role: 'assistant' })
    await a!.device.store.writeDraft('s', draft, 0, { text: 'a reply about zebras' })
    await vi.waitFor(
      () =>
        expect(b!.sync.presence('s').map(({ user, draft }) => [user['name'], draft?.text])).toEqual([
          ['Ada', 'a reply about zebras'],
        ]),
      soon,
    )
    const carried = Buffer.concat(heard)
    expect(heard.length).toBeGreaterThan(0)
    for (const text of ['Ada', 'Bob', 'zebras', 'device']) expect(carried.includes(text)).toBe(false)
    const eve = createDevice()
    onTestFinished(() => eve.close())
    const sync = await eve.sync({ transport: hub.transport(), keys: wrong, presence: { user: { name: 'Eve' } } })
    sync.watch('s')
    await vi.waitFor(() => expect(sync.status().state).toBe('wrongKey'), soon)
    expect([sync.presences(), a!.sync.presence('s').map(({ user }) => user['name'])]).toEqual([{}, ['Bob']])
  })

  it('is passed over under a key that is not here, without a word and without an answer', async () => {
    const all = [drawKeys(), drawKeys()].map((keys, i) => {
      const codec = keys.then((given) => sealedPresence(() => given))
      const errors: unknown[] = []
      const presence = createPresence({
        user: { name: i === 0 ? 'Ada' : 'Eve' },
        store: { listDrafts: async () => [] },
        now: Date.now,
        onChange: () => undefined,
        onUnseen: () => undefined,
        onError: (error) => errors.push(error),
        codec: {
          write: async (...given) => (await codec).write(...given),
          read: async (...given) => (await codec).read(...given),
        },
      })
      onTestFinished(() => presence.close())
      presence.setWatched('s', true)
      return { presence, errors, awareness: presence.enter('s', 'id').awareness, sent: [] as Uint8Array[], codec }
    })
    const [ada, eve] = all as [(typeof all)[0], (typeof all)[0]]
    const lines = [
      connectPresence(ada.awareness, 'way', (update) => (ada.sent.push(update), lines[1]!.receive(update))),
      connectPresence(eve.awareness, 'way', (update) => (eve.sent.push(update), lines[0]!.receive(update))),
    ]
    await vi.waitFor(
      () => expect([ada.sent.length, eve.sent.length, ada.awareness.states.size]).toEqual([1, 1, 2]),
      soon,
    )
    for (let i = 0; i < 5; i++) {
      ada.presence.setTyping('s', i % 2 === 0)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    // Nobody was seen to come, so nothing more was said.
    expect([ada.sent.length, eve.sent.length, ada.presence.all(), eve.presence.all(), ada.errors, eve.errors]).toEqual([
      1,
      1,
      {},
      {},
      [],
      [],
    ])
  })
})
