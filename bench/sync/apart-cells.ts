import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMergeableStore } from 'tinybase'
import { createFilePersister } from 'tinybase/persisters/persister-file'
import { createWsServer } from 'tinybase/synchronizers/synchronizer-ws-server'
import { WebSocketServer } from 'ws'
import { Server } from '../../server/src/plain-hocuspocus.js'
import { openChat, SocketAdapter } from './automerge-peer.ts'
import type { DevicePage } from './device-page.ts'
import type { BenchDevices } from './launch-devices.ts'
import type { PageContender, SyncBenchWindow } from './page/main.ts'
import { ours, type SyncCell } from './sample.ts'
import { withServer } from './with-server.ts'

/** Runs something on a contender's server, by its URL. */
type WithServer = <T>(act: (url: string) => Promise<T>) => Promise<T>

const contenders: readonly { readonly name: string; readonly page: PageContender; readonly withServer: WithServer }[] =
  [
    { name: ours, page: 'ours', withServer },
    { name: 'Y.Map by ULID, stored as by y-indexeddb', page: 'yMap', withServer: withHocuspocus },
    { name: 'TinyBase MergeableStore', page: 'tinybase', withServer: withTinybase },
    { name: 'Automerge-repo', page: 'automerge', withServer: withAutomerge },
  ]

/**
 * Two devices, each a Chromium with a profile on disk, on which so many messages of 1 kB each were said while they were
 * apart. The time from when both may connect until both have all of them stored.
 *
 * @param slowest - most messages that those are measured with which take a minute and more for ten thousand
 */
export function apartCells(devices: () => Promise<BenchDevices>, size: number, slowest: number): readonly SyncCell[] {
  const count = size.toLocaleString('en-US')
  return contenders
    .filter(({ page }) => size <= slowest || page === 'ours' || page === 'yMap')
    .map((contender) => ({
      group: `${count} + ${count} messages of two Chromium profiles that were apart`,
      contender: contender.name,
      run: async () => {
        const pages = await (await devices()).openPages()
        try {
          return { 'stored on both (ms)': await contender.withServer((url) => meet(pages, contender.page, url, size)) }
        } finally {
          await Promise.all(pages.map((page) => page.close()))
        }
      },
    }))
}

let lastName = 0

async function meet(
  pages: readonly DevicePage[],
  contender: PageContender,
  url: string,
  size: number,
): Promise<number> {
  const name = `${contender}-${(lastName += 1)}`
  const onBoth = <T>(act: (size: number) => Promise<T>): Promise<T[]> =>
    Promise.all(pages.map((page) => page.evaluate(act, size)))
  await Promise.all(
    pages.map((page, i) =>
      page.evaluate((given) => (globalThis as unknown as SyncBenchWindow).openDevice(given.contender, given), {
        contender,
        url,
        name: `${name}-${i}`,
      }),
    ),
  )
  await onBoth((size) => (globalThis as unknown as SyncBenchWindow).device.say(size))
  const start = performance.now()
  await onBoth((size) => (globalThis as unknown as SyncBenchWindow).device.exchange(size * 2))
  const time = performance.now() - start
  const [one, two] = await onBoth(async () => (globalThis as unknown as SyncBenchWindow).device.texts())
  await onBoth(async () => (globalThis as unknown as SyncBenchWindow).device.close())
  if (one!.length !== size * 2 || JSON.stringify(one) !== JSON.stringify(two))
    throw new Error(`The devices of ${contender} have ${one!.length} and ${two!.length} messages, or another order.`)
  return time
}

async function withHocuspocus<T>(act: (url: string) => Promise<T>): Promise<T> {
  const server = new Server({
    quiet: true,
    stopOnSignals: false,
    port: 0,
    unloadImmediately: false,
    debounce: 600_000,
    maxDebounce: 600_000,
  })
  await server.listen()
  try {
    return await act(`ws://127.0.0.1:${server.address.port}`)
  } finally {
    // It would wait for every document to be let go of.
    void server.destroy()
  }
}

/**
 * One that keeps what it is sent, as the others do: a device that comes first would wait for another one to answer it.
 */
async function withTinybase<T>(act: (url: string) => Promise<T>): Promise<T> {
  const sockets = await listen()
  const folder = await mkdtemp(join(tmpdir(), 'keepsession-bench-'))
  const server = createWsServer(sockets.server, () =>
    createFilePersister(createMergeableStore(), join(folder, 'store.json')),
  )
  try {
    return await act(sockets.url)
  } finally {
    await server.destroy()
    await rm(folder, { recursive: true, force: true })
  }
}

async function withAutomerge<T>(act: (url: string) => Promise<T>): Promise<T> {
  const { server, url } = await listen()
  const { repo } = await openChat('server')
  server.on('connection', (socket) => repo.networkSubsystem.addNetworkAdapter(new SocketAdapter(socket as never)))
  try {
    return await act(url)
  } finally {
    for (const socket of server.clients) socket.terminate()
    server.close()
  }
}

async function listen(): Promise<{ readonly server: WebSocketServer; readonly url: string }> {
  const http = createServer()
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    server: new WebSocketServer({ server: http }),
    url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}`,
  }
}
