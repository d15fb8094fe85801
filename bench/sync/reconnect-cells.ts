import { type Message, NetworkAdapter, type PeerId, Repo } from '@automerge/automerge-repo'
import { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider'
import { createMergeableStore, type MergeableStore } from 'tinybase'
import { createCustomSynchronizer } from 'tinybase/synchronizers'
import * as Y from 'yjs'
import { Server } from '../../server/src/plain-hocuspocus.js'
import type { StoreChange } from '../../src/contract/change.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { countingSocket } from '../../test/sync/counting-socket.ts'
import { messageOf, payloadOf, ulid } from './message.ts'
import { ourDevice } from './our-device.ts'
import { ours, type SyncCell, type SyncSample } from './sample.ts'
import { withServer } from './with-server.ts'

/**
 * Two devices with so many messages each, equal at first; then one gets half as many more while it is offline. What
 * each sends and receives when it comes back, everything counted that goes through its socket (or would, of those that
 * are run in one process).
 */
export function reconnectCells(size: number): readonly SyncCell[] {
  const group = `Reconnect, ${size} messages, then ${size / 2} new`
  const cells = {
    [ours]: reconnectOurs,
    'Y.Map by ULID': reconnectYMap,
    'TinyBase MergeableStore': reconnectTinybase,
    'Automerge-repo': reconnectAutomerge,
  }
  return Object.entries(cells).map(([contender, run]) => ({ group, contender, run: () => run(size) }))
}

type Figures = SyncSample['figures']
const figures = (nothing: number, up: number, down: number, content: number): Figures => ({
  'nothing new (B)': nothing,
  'up / new content': up / content,
  'down / new content': down / content,
})

const reconnectOurs = (size: number): Promise<Figures> =>
  withServer(async (url) => {
    const open = () => {
      const listeners = new Set<(change: StoreChange) => void>()
      const store = createSessionStore(createMemoryBackend(), {
        onChange: (change) => listeners.forEach((listener) => listener(change)),
      })
      return {
        store,
        device: ourDevice(store, (listener) => (listeners.add(listener), () => listeners.delete(listener)), url),
      }
    }
    const [a, b] = [open(), open()]
    const add = async (from: number, to: number): Promise<number> => {
      let content = 0
      for (let i = from; i < to; i++) {
        const message = messageOf(i)
        content += payloadOf(message)
        await a.store.append('s', [{ type: 'message', message }] as never)
      }
      return content
    }
    const exchange = async ({ device }: typeof a): Promise<{ readonly sent: number; readonly received: number }> => {
      const { sync, traffic, close } = await device.start()
      await sync.syncNow()
      const { sent, received } = traffic
      await close()
      return { sent, received }
    }
    await add(0, size)
    await exchange(a)
    await exchange(b)
    const nothing = await exchange(b)
    const content = await add(size, size * 1.5)
    const up = await exchange(a)
    const down = await exchange(b)
    return figures(nothing.sent + nothing.received, up.sent + up.received, down.sent + down.received, content)
  })

async function reconnectYMap(size: number): Promise<Figures> {
  const server = new Server({
    quiet: true,
    stopOnSignals: false,
    port: 0,
    unloadImmediately: false,
    debounce: 60_000,
    maxDebounce: 60_000,
  })
  await server.listen()
  const exchange = async (document: Y.Doc): Promise<{ readonly sent: number; readonly received: number }> => {
    const { Socket, traffic } = countingSocket()
    const websocketProvider = new HocuspocusProviderWebsocket({
      url: `ws://127.0.0.1:${server.address.port}`,
      WebSocketPolyfill: Socket,
    })
    const provider = new HocuspocusProvider({ websocketProvider, name: 'bench/s/chat', document, token: 'bench' })
    provider.attach()
    while (!provider.isSynced || provider.unsyncedChanges > 0) await new Promise((resolve) => setTimeout(resolve, 20))
    await new Promise((resolve) => setTimeout(resolve, 100))
    const { sent, received } = traffic
    provider.destroy()
    websocketProvider.destroy()
    return { sent, received }
  }
  const [a, b] = [new Y.Doc(), new Y.Doc()]
  const add = (from: number, to: number): number =>
    sum(from, to, (message) => a.getMap('messages').set(ulid(), message))
  add(0, size)
  await exchange(a)
  await exchange(b)
  const nothing = await exchange(b)
  const content = add(size, size * 1.5)
  const up = await exchange(a)
  const down = await exchange(b)
  // It would wait for every document to be let go of.
  void server.destroy()
  return figures(nothing.sent + nothing.received, up.sent + up.received, down.sent + down.received, content)
}

/** From one to the other directly: what goes up comes down. */
async function reconnectTinybase(size: number): Promise<Figures> {
  const [a, b] = [createMergeableStore(), createMergeableStore()]
  const exchange = async (): Promise<number> => {
    let bytes = 0
    const receivers = new Map<string, (from: string, request: unknown, message: number, body: unknown) => void>()
    const synchronizers = [a, b].map((store: MergeableStore, i) =>
      createCustomSynchronizer(
        store,
        (_to, request, message, body) => {
          const frame = JSON.stringify([request, message, body], (_, value: unknown) =>
            value === undefined ? '\uFFFC' : value,
          )
          bytes += new TextEncoder().encode(frame).length
          const [asked, kind, content] = JSON.parse(frame, (_, value: unknown) =>
            value === '\uFFFC' ? undefined : value,
          ) as [unknown, number, unknown]
          setTimeout(() => receivers.get(String(1 - i))?.(String(i), asked, kind, content))
        },
        (receive) => void receivers.set(String(i), receive as never),
        () => void receivers.delete(String(i)),
        5,
      ),
    )
    await Promise.all(synchronizers.map((one) => one.startSync()))
    while (
      JSON.stringify(a.getMergeableContentHashes?.() ?? a.getMergeableContent()[0][1]) !==
        JSON.stringify(b.getMergeableContentHashes?.() ?? b.getMergeableContent()[0][1]) ||
      a.getRowCount('messages') !== b.getRowCount('messages')
    )
      await new Promise((resolve) => setTimeout(resolve, 20))
    await Promise.all(synchronizers.map((one) => one.destroy()))
    return bytes
  }
  const add = (from: number, to: number): number =>
    sum(from, to, (message) => a.setRow('messages', ulid(), { ...message }))
  add(0, size)
  await exchange()
  const nothing = await exchange()
  const content = add(size, size * 1.5)
  const both = await exchange()
  return figures(nothing, both, both, content)
}

/** What an adapter is given, without the envelope that each puts around it. */
class CountingAdapter extends NetworkAdapter {
  other: CountingAdapter | undefined
  bytes = 0
  isReady = (): boolean => true
  whenReady = async (): Promise<void> => undefined
  connect(peerId: PeerId): void {
    this.peerId = peerId
    if (this.other?.peerId === undefined) return
    this.emit('peer-candidate', { peerId: this.other.peerId, peerMetadata: {} })
    this.other.emit('peer-candidate', { peerId, peerMetadata: {} })
  }
  send(message: Message): void {
    this.bytes += message.data?.length ?? 0
    setTimeout(() => this.other?.emit('message', message))
  }
  disconnect(): void {
    if (this.other?.peerId !== undefined) this.emit('peer-disconnected', { peerId: this.other.peerId })
  }
}

async function reconnectAutomerge(size: number): Promise<Figures> {
  const [a, b] = [new Repo({ peerId: 'a' as PeerId }), new Repo({ peerId: 'b' as PeerId })]
  const handle = a.create<{ messages: unknown[] }>({ messages: [] })
  const exchange = async (): Promise<number> => {
    const [one, two] = [new CountingAdapter(), new CountingAdapter()]
    ;[one.other, two.other] = [two, one]
    a.networkSubsystem.addNetworkAdapter(one)
    b.networkSubsystem.addNetworkAdapter(two)
    const theirs = await b.find<{ messages: unknown[] }>(handle.url)
    while (theirs.doc().messages.length !== handle.doc().messages.length)
      await new Promise((resolve) => setTimeout(resolve, 20))
    await new Promise((resolve) => setTimeout(resolve, 300))
    a.networkSubsystem.removeNetworkAdapter(one)
    b.networkSubsystem.removeNetworkAdapter(two)
    return one.bytes + two.bytes
  }
  const add = (from: number, to: number): number =>
    sum(from, to, (message) => handle.change((doc) => void doc.messages.push({ id: ulid(), ...message })))
  add(0, size)
  await exchange()
  const nothing = await exchange()
  const content = add(size, size * 1.5)
  const both = await exchange()
  return figures(nothing, both, both, content)
}

function sum(from: number, to: number, put: (message: ReturnType<typeof messageOf>) => unknown): number {
  let content = 0
  for (let i = from; i < to; i++) {
    const message = messageOf(i)
    content += payloadOf(message)
    put(message)
  }
  return content
}
