import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import * as Y from 'yjs'
import { startSyncServer } from '../../server/index.js'
import type { SyncServer, SyncServerOptions } from '../../server/src/options.js'
import { fileName } from '../../server/src/store/folder/file-name.js'
import { openFolderLog } from '../../server/src/store/folder/folder-log.js'
import { spawnSyncServer } from '../support/spawn-sync-server.ts'
import { openSyncDevice, type SyncDevice } from '../support/sync-device.ts'

const name = 'ada/s/chat'
let data: string
let server: SyncServer
const devices: SyncDevice[] = []

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'sync-data-'))
})
afterEach(async () => {
  for (const device of devices.splice(0)) device.close()
  await server.close()
  await rm(data, { recursive: true, force: true })
})

async function start(options: SyncServerOptions): Promise<void> {
  server = await startSyncServer({ port: 0, data, say: () => {}, ...options })
}

function connect(token = 'secret'): SyncDevice {
  const device = openSyncDevice(server.url, name, token)
  devices.push(device)
  return device
}

const file = () => join(data, 'documents', 'ada', `${fileName('s/chat')}.log`)
const fileText = () => readFile(file(), 'latin1')

/** A device that wrote a hundred messages of a thousand bytes, and another that has them. */
async function twoWithMessages(): Promise<{
  readonly writer: number
  readonly array: ReturnType<SyncDevice['document']['getArray']>
  readonly other: SyncDevice
  readonly first: SyncDevice
}> {
  const first = connect()
  for (let entry = 0; entry < 100; entry++) first.push([`secret ${entry} `.padEnd(1000, 'x')])
  await first.stored()
  const other = connect()
  const writer = first.document.clientID
  await expect.poll(() => other.values(writer)).toHaveLength(100)
  return { writer, array: other.document.getArray(`w:${writer.toString(36)}`), other, first }
}

it('takes a session of which nothing is left out of its file while devices have it open', async () => {
  await start({ secret: 'secret' })
  const { array, other } = await twoWithMessages()
  expect((await fileText()).length).toBeGreaterThan(100_000)
  array.delete(0, 100)
  await other.stored()
  await expect.poll(fileText).not.toContain('secret')
  expect((await fileText()).length).toBeLessThan(1000)
})

it('takes what was erased from a session that goes on out of its file once nobody has it open', async () => {
  await start({ secret: 'secret' })
  const { array, other, writer } = await twoWithMessages()
  array.delete(10, 90)
  await other.stored()
  for (const device of devices.splice(0)) device.close()
  await expect.poll(fileText).not.toContain('secret 10 ')
  expect(await fileText()).toContain('secret 9 ')
  expect((await fileText()).length).toBeLessThan(12_000)
  const next = connect()
  await expect.poll(() => next.values(writer)).toHaveLength(10)
})

it('lets nobody erase who may only read', async () => {
  await start({ authorise: (token) => (token === 'reader' ? 'read' : 'write') })
  const { writer } = await twoWithMessages()
  const reader = connect('reader')
  await expect.poll(() => reader.values(writer)).toHaveLength(100)
  reader.document.getArray(`w:${writer.toString(36)}`).delete(0, 100)
  const next = connect()
  await expect.poll(() => next.values(writer)).toHaveLength(100)
  expect(reader.provider.unsyncedChanges).toBeGreaterThan(0)
  expect(await fileText()).toContain('secret 99 ')
})

/** A server that ends while a device has erased a part of a session and still has it open. */
async function eraseUntil(end: 'kill' | 'stop'): Promise<void> {
  const spawned = await spawnSyncServer({ data, secret: 'secret' })
  onTestFinished(() => spawned.kill())
  const device = openSyncDevice(spawned.url, name, 'secret')
  devices.push(device)
  await device.stored()
  device.push('secret words')
  await device.stored()
  device.push('what is kept')
  await device.stored()
  device.document.getArray(`w:${device.document.clientID.toString(36)}`).delete(0)
  await device.stored()
  await spawned[end]()
}

it('takes what was erased from a session that goes on out of its file when it stops', async () => {
  await eraseUntil('stop')
  expect(await fileText()).not.toContain('secret words')
  expect(await fileText()).toContain('what is kept')
  await start({})
})

it('takes out what a server that was killed had erased from a session that goes on, once somebody had it open', async () => {
  await eraseUntil('kill')
  expect(await fileText()).toContain('secret words')
  await start({ secret: 'secret' })
  const visitor = connect()
  await visitor.stored()
  visitor.close()
  await expect.poll(fileText).not.toContain('secret words')
  expect(await fileText()).toContain('what is kept')
})

it('writes a session anew for what was erased once, not at each visit', async () => {
  await eraseUntil('stop')
  await start({ secret: 'secret' })
  const { ino } = await stat(file())
  for (let visit = 0; visit < 2; visit++) {
    const visitor = connect()
    visitor.push('more')
    await visitor.stored()
    visitor.close()
  }
  await server.close()
  expect((await stat(file())).ino).toBe(ino)
})

it('takes out what a server before it had no time for', async () => {
  await start({ secret: 'secret' })
  await twoWithMessages()
  for (const device of devices.splice(0)) device.close()
  await server.close()
  const { updates, log } = await openFolderLog(file(), name, () => {})
  const document = new Y.Doc()
  for (const update of updates) Y.applyUpdate(document, update)
  document.on('update', (update: Uint8Array) => void log.append(update))
  for (const root of [...document.share.keys()]) document.getArray(root).delete(0, 100)
  await log.close()
  await start({ secret: 'secret' })
  await connect().stored()
  await expect.poll(fileText).not.toContain('secret')
})
