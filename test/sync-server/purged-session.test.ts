import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { startSyncServer } from '../../server/index.js'
import { drawRootKey } from '../../src/sync/encryption/root-key.ts'
import { openSyncKeys } from '../../src/sync/encryption/sync-keys.ts'
import type { SyncTransport } from '../../src/sync/link.ts'
import { hocuspocusTransport } from '../../src/sync/transports/hocuspocus/hocuspocus-transport.ts'
import { createDevice, type Device } from '../sync/synced-device.ts'

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sync-data-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function newDevice(): Device {
  const device = createDevice()
  onTestFinished(() => device.close())
  return device
}

/** What all logs of documents but the list hold. */
async function textOfLogs(data: string): Promise<string> {
  const folder = join(data, 'documents', 'me')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.log') && name !== 'index.log')
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))).join('')
}

it.each(['in the clear', 'sealed'])(
  'lets go of a session that one device purged, %s, and goes on with one of the same key',
  async (how) => {
    const data = await newFolder()
    const server = await startSyncServer({ port: 0, data, secret: 'secret', say: () => {} })
    onTestFinished(() => server.close())
    const keys = how === 'sealed' ? { keys: await openSyncKeys(drawRootKey(), 'me') } : {}
    const transport = (): SyncTransport =>
      hocuspocusTransport({ url: server.url, token: () => 'secret', WebSocket: WebSocket as never })
    const [a, b] = [newDevice(), newDevice()]
    const [one, two] = [
      await a.sync({ transport: transport(), ...keys }),
      await b.sync({ transport: transport(), ...keys }),
    ]
    await a.store.setHistory(
      's',
      Array.from({ length: 100 }, (_, i) => ({ role: 'user', content: `secret ${i} `.padEnd(1000, 'x') })),
    )
    await one.syncNow()
    await expect.poll(async () => (await b.store.getHistory('s')).length).toBe(100)
    const before = (await textOfLogs(data)).length
    expect(before).toBeGreaterThan(100_000)

    await a.store.purge('s')
    await expect.poll(async () => (await textOfLogs(data)).length).toBeLessThan(before / 100)
    await expect
      .poll(async () => [await b.store.getMeta('s'), await a.store.listPurges(), await b.store.listPurges()])
      .toEqual([undefined, [], []])

    await b.store.addMessage('s', 'user', 'anew')
    await expect.poll(async () => (await a.store.getHistory('s')).map(({ content }) => content)).toEqual(['anew'])
    for (const sync of [one, two])
      expect(await sync.syncNow()).toMatchObject({ state: 'synced', report: { quarantinedCount: 0 } })
  },
)

it('lets go of a part of a session that was reclaimed', async () => {
  const data = await newFolder()
  const server = await startSyncServer({ port: 0, data, secret: 'secret', say: () => {} })
  onTestFinished(() => server.close())
  const a = newDevice()
  const transport = hocuspocusTransport({ url: server.url, token: () => 'secret', WebSocket: WebSocket as never })
  const one = await a.sync({ transport })
  await a.store.setHistory(
    's',
    Array.from({ length: 100 }, (_, i) => ({ role: 'user', content: `secret ${i} `.padEnd(1000, 'x') })),
  )
  await one.syncNow()
  await a.store.truncateHistory('s', 1)
  await a.store.reclaim('s')
  await one.syncNow()
  await one.close()
  await transport.close()
  await expect.poll(async () => (await textOfLogs(data)).length).toBeLessThan(3000)
  const b = newDevice()
  const two = await b.sync({
    transport: hocuspocusTransport({ url: server.url, token: () => 'secret', WebSocket: WebSocket as never }),
  })
  expect(await two.syncNow()).toMatchObject({ state: 'synced', report: { quarantinedCount: 0 } })
  expect(await b.store.getHistory('s')).toEqual(await a.store.getHistory('s'))
})
