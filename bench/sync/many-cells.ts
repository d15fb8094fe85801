import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider'
import { WebSocket } from 'ws'
import * as Y from 'yjs'
import { Server } from '../../server/src/plain-hocuspocus.js'
import type { Account } from './account.ts'
import { openFileStore } from './file-store.ts'
import type { BenchDevices } from './launch-devices.ts'
import { messageOf, ulid } from './message.ts'
import { type OurDevice, ourDevice } from './our-device.ts'
import type { SyncBenchWindow } from './page/main.ts'
import type { CameIn } from './page/our-many-sessions.ts'
import { ours, type SyncCell, type SyncSample } from './sample.ts'

/** Sessions that change between two visits. */
const changed = 3

export interface ManyOptions {
  readonly account: () => Promise<Account>
  readonly devices: () => Promise<BenchDevices>
  readonly sessions: number
  readonly messages: number
}

/**
 * A new device and an account of many sessions, on a server in another process or thread of events; then the same
 * device, when a few have changed.
 */
export function manyCells({ account, devices, sessions, messages }: ManyOptions): readonly SyncCell[] {
  const group = `${sessions.toLocaleString('en-US')} sessions of ${messages} messages, on a new device`
  return [
    { group, contender: ours, run: async () => manyOurs(await account(), sessions, messages) },
    {
      group,
      contender: `${ours}, stored by a Chromium`,
      run: async () => manyInPage(await account(), await devices(), sessions),
    },
    {
      group,
      contender: 'IndexedDB alone, without sync, a row for each message',
      run: async () => bareRows(await devices(), sessions, messages, 1),
    },
    {
      group,
      contender: 'IndexedDB alone, without sync, rows of up to 64',
      run: async () => bareRows(await devices(), sessions, messages, 64),
    },
    { group, contender: 'Y.Map by ULID, one document', run: () => manyYMap(sessions, messages) },
  ]
}

/**
 * The log of the new device is a file, so that time and heap are those of sync: its checks, its documents, its list.
 */
async function manyOurs({ url, change }: Account, sessions: number, messages: number): Promise<SyncSample['figures']> {
  const folder = await mkdtemp(join(tmpdir(), 'keepsession-bench-'))
  const { store, follow, close } = await openFileStore(join(folder, 'log'))
  const device = ourDevice(store, follow, url)
  const before = heap()
  const first = await visit(device, sessions)
  const after = heap()
  if (first.received < sessions * messages) throw new Error(`Only ${first.received} entries came.`)
  await change(changed)
  const again = await visit(device, sessions)
  if (again.received !== changed) throw new Error(`${again.received} entries came, not ${changed}.`)
  await close()
  await rm(folder, { recursive: true })
  return figures({ ...first, memory: after - before }, again)
}

async function visit(
  device: OurDevice,
  sessions: number,
): Promise<{ readonly list: number; readonly all: number; readonly received: number }> {
  let list = 0
  const start = performance.now()
  const { sync, close } = await device.start()
  const look = (): void => {
    if (list === 0 && sync.sessions().length === sessions) list = performance.now()
  }
  const stop = sync.subscribe(() => list === 0 && look())
  look()
  await sync.syncNow()
  const all = performance.now()
  stop()
  const { received } = sync.status().report
  await close()
  return { list: list - start, all: all - start, received }
}

/** With the database of a browser, and everything that keeps it safe. */
async function manyInPage(
  { url, change }: Account,
  devices: BenchDevices,
  sessions: number,
): Promise<SyncSample['figures']> {
  const name = ulid()
  const receive = async (): Promise<CameIn> => {
    const pages = await devices.openPages()
    try {
      return await pages[0].evaluate((given) => (globalThis as unknown as SyncBenchWindow).receiveSessions(given), {
        name,
        url,
        sessions,
      })
    } finally {
      await Promise.all(pages.map((page) => page.close()))
    }
  }
  const first = await receive()
  await change(changed)
  return figures(first, await receive())
}

/** What those sessions take to be stored by the same browser, though nothing had to be sent, checked or found again. */
async function bareRows(
  devices: BenchDevices,
  sessions: number,
  messages: number,
  packed: number,
): Promise<SyncSample['figures']> {
  const pages = await devices.openPages()
  try {
    const { all } = await pages[0].evaluate(
      (given) => (globalThis as unknown as SyncBenchWindow).storeBareRows(given),
      { name: ulid(), sessions, messages, packed },
    )
    return { 'all (ms)': all }
  } finally {
    await Promise.all(pages.map((page) => page.close()))
  }
}

const figures = (first: CameIn, again: Pick<CameIn, 'all'>): SyncSample['figures'] => ({
  'first list (ms)': first.list,
  'all (ms)': first.all,
  'heap (MB)': first.memory / 1e6,
  [`${changed} changed (ms)`]: again.all,
})

/** Its list is there when everything is. */
async function manyYMap(sessions: number, messages: number): Promise<SyncSample['figures']> {
  const server = new Server({
    quiet: true,
    stopOnSignals: false,
    port: 0,
    unloadImmediately: false,
    debounce: 600_000,
    maxDebounce: 600_000,
  })
  await server.listen()
  const connection = await server.hocuspocus.openDirectConnection('all')
  const say = (count: number, times: number): Promise<void> =>
    connection.transact((doc) => {
      for (let i = 0; i < count; i++)
        for (let j = 0; j < times; j++) doc.getMap('messages').set(ulid(), { session: `s${i}`, ...messageOf(j) })
    })
  await say(sessions, messages)
  const document = new Y.Doc()
  const receive = async (size: number): Promise<number> => {
    const start = performance.now()
    const websocketProvider = new HocuspocusProviderWebsocket({
      url: `ws://127.0.0.1:${server.address.port}`,
      WebSocketPolyfill: WebSocket,
    })
    const provider = new HocuspocusProvider({ websocketProvider, name: 'all', document, token: 'bench' })
    provider.attach()
    while (!provider.isSynced) await new Promise((resolve) => setTimeout(resolve, 5))
    const time = performance.now() - start
    provider.destroy()
    websocketProvider.destroy()
    if (document.getMap('messages').size !== size) throw new Error('Not everything came.')
    return time
  }
  const before = heap()
  const all = await receive(sessions * messages)
  const memory = heap() - before
  await say(changed, 1)
  const again = await receive(sessions * messages + changed)
  // It would wait for every document to be let go of.
  void server.destroy()
  return figures({ list: all, all, memory }, { all: again })
}

function heap(): number {
  for (let i = 0; i < 3; i++) (globalThis as { gc?: () => void }).gc?.()
  return process.memoryUsage().heapUsed
}
