import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider'
import { Server } from '@hocuspocus/server'
import * as Y from 'yjs'
import { WebSocket } from 'ws'
import type { StoreChange } from '../../src/contract/change.ts'
import type { VersionVector } from '../../src/contract/entry.ts'
import { writerKey } from '../../src/domain/address.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { createSessionStore } from '../../src/storage/session-store.ts'
import type { SyncStore } from '../../src/sync/create-sync.ts'
import { messageOf, ulid } from './message.ts'
import { ourDevice } from './our-device.ts'
import { ours, type SyncCell, type SyncSample } from './sample.ts'
import { withServer } from './with-server.ts'

/** A new device and an account of many sessions, on a server in another process or thread of events. */
export function manyCells(sessions: number, messages: number): readonly SyncCell[] {
  const group = `${sessions.toLocaleString('en-US')} sessions of ${messages} messages, on a new device`
  return [
    { group, contender: ours, run: () => manyOurs(sessions, messages) },
    { group, contender: 'Y.Map by ULID, one document', run: () => manyYMap(sessions, messages) },
  ]
}

/** The log of the new device is a file, so that time and heap are those of sync: its checks, its documents, its list. */
const manyOurs = (sessions: number, messages: number): Promise<SyncSample['figures']> =>
  withServer(async (url) => {
    await upload(url, sessions, messages)
    const folder = await mkdtemp(join(tmpdir(), 'keepsession-bench-'))
    const { store, follow } = fileStore(join(folder, 'log'))
    const before = heap()
    const start = performance.now()
    const { sync, close } = await ourDevice(store, follow, url).start()
    let list = 0
    const look = (): void => {
      if (list === 0 && sync.sessions().length === sessions) list = performance.now()
    }
    const stop = sync.subscribe(() => list === 0 && look())
    look()
    await sync.syncNow()
    const all = performance.now()
    stop()
    const after = heap()
    const { received } = sync.status().report
    await close()
    await rm(folder, { recursive: true })
    if (received < sessions * messages) throw new Error(`Only ${received} entries came.`)
    return { 'first list (ms)': list - start, 'all (ms)': all - start, 'heap (MB)': (after - before) / 1e6 }
  })

async function upload(url: string, sessions: number, messages: number): Promise<void> {
  const store = createSessionStore(createMemoryBackend())
  for (let i = 0; i < sessions; i++) await store.append(`s${i}`, Array.from({ length: messages }, (_, j) => ({ type: 'message', message: messageOf(j) })) as never)
  const { sync, close } = await ourDevice(store, () => () => undefined, url).start()
  const { state, message } = await sync.syncNow()
  if (state !== 'synced') throw new Error(`The sessions could not be uploaded: ${state} ${message ?? ''}`)
  await close()
  await store.close()
}

/** Writes every entry into a file and keeps of it only how far each writer is. */
function fileStore(path: string): { readonly store: SyncStore; readonly follow: (listener: (change: StoreChange) => void) => () => void } {
  const vectors = new Map<string, Record<string, number>>()
  const listeners = new Set<(change: StoreChange) => void>()
  const store: SyncStore = {
    listSessions: async () => ({ sessions: [], total: 0 }) as never,
    getVector: async (key): Promise<VersionVector | undefined> => vectors.get(key),
    changes: async () => ({ entries: [], vv: {} }),
    merge: async (key, entries) => {
      await appendFile(path, `${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n`)
      const vector = vectors.get(key) ?? {}
      for (const { w, s } of entries) vector[writerKey(w)] = s + 1
      vectors.set(key, vector)
      const listing = { key, title: key, createdAt: 0, updatedAt: 0, messageCount: entries.length, archived: false }
      for (const listener of listeners) listener({ type: 'session', key, version: 1, rows: [], reload: false, listing } as never)
      return { added: entries.length, known: 0, refused: [] }
    },
    flush: async () => undefined,
    delete: async () => undefined as never,
    purge: async () => undefined as never,
    putBlob: async () => '',
    getBlob: async () => undefined,
    listDrafts: async () => [],
  }
  return { store, follow: (listener) => (listeners.add(listener), () => void listeners.delete(listener)) }
}

/** Its list is there when everything is. */
async function manyYMap(sessions: number, messages: number): Promise<SyncSample['figures']> {
  const server = new Server({ quiet: true, stopOnSignals: false, port: 0, unloadImmediately: false, debounce: 600_000, maxDebounce: 600_000 })
  await server.listen()
  const connection = await server.hocuspocus.openDirectConnection('all')
  await connection.transact((doc) => {
    for (let i = 0; i < sessions; i++) for (let j = 0; j < messages; j++) doc.getMap('messages').set(ulid(), { session: `s${i}`, ...messageOf(j) })
  })
  const before = heap()
  const start = performance.now()
  const document = new Y.Doc()
  const websocketProvider = new HocuspocusProviderWebsocket({ url: `ws://127.0.0.1:${server.address.port}`, WebSocketPolyfill: WebSocket })
  const provider = new HocuspocusProvider({ websocketProvider, name: 'all', document, token: 'bench' })
  provider.attach()
  while (!provider.isSynced) await new Promise((resolve) => setTimeout(resolve, 5))
  const all = performance.now()
  const after = heap()
  provider.destroy()
  websocketProvider.destroy()
  // It would wait for every document to be let go of.
  void server.destroy()
  if (document.getMap('messages').size !== sessions * messages) throw new Error('Not everything came.')
  return { 'first list (ms)': all - start, 'all (ms)': all - start, 'heap (MB)': (after - before) / 1e6 }
}

function heap(): number {
  for (let i = 0; i < 3; i++) (globalThis as { gc?: () => void }).gc?.()
  return process.memoryUsage().heapUsed
}
