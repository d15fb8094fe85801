import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HocuspocusProviderWebsocket } from '@hocuspocus/provider'
import * as encoding from 'lib0/encoding'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type SpawnedServer, spawnSyncServer } from '../support/spawn-sync-server.ts'
import { openSyncDevice, type SyncDevice } from '../support/sync-device.ts'

let data: string
let server: SpawnedServer
/** What it said before there was anything to refuse. */
let started: string
const devices: SyncDevice[] = []

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'sync-data-'))
  server = await spawnSyncServer({
    data,
    tokens: [
      { token: 'ada', namespaces: ['ada'] },
      { token: 'guest', namespaces: ['ada'], access: 'read' },
    ],
    limits: { documentBytes: 2_000, messageBytes: 10_000 },
  })
  started = server.output()
})
afterEach(async () => {
  for (const device of devices.splice(0)) device.close()
  await server.kill()
  await rm(data, { recursive: true, force: true })
})

function connect(token = 'ada'): SyncDevice {
  const device = openSyncDevice(server.url, 'ada/s/chat', token)
  devices.push(device)
  return device
}

/** The lines that it said, without the random id of a connection. */
const said = (): string[] =>
  server
    .output()
    .slice(started.length)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/connection \S+/, 'connection …'))

const closing = 'closing connection … (while handling ada/s/chat) because of exception'

it('says each refusal in one line, without a stack, and nothing of a token that has no access', async () => {
  const stranger = connect('stranger')
  await expect.poll(() => stranger.refusals).toContain('denied')
  for (const [length, reason] of [
    [5_000, 'document-too-big: 2000 bytes'],
    [20_000, 'message-too-big: 20044 of 10000 bytes'],
  ] as const) {
    const device = connect()
    await device.stored()
    device.push('x'.repeat(length))
    await expect.poll(() => device.refusals.join()).toContain(reason.split(':')[0])
  }
  await expect
    .poll(said)
    .toEqual([
      `${closing} document-too-big: 2000 bytes`,
      expect.stringMatching(/because of exception message-too-big: \d+ of 10000 bytes$/),
    ])
})

it.each<[what: string, token: string, reason: string, bytes: readonly number[]]>([
  ['a sync message that is cut off', 'ada', 'malformed-message', [0, 2, 3, 200, 1]],
  ['a sync message of no known step', 'ada', 'malformed-message', [0, 3, 1, 0]],
  ['a state vector that is cut off', 'ada', 'malformed-message', [0, 0, 2, 3, 1]],
  ['an update that is none', 'ada', 'malformed-update', [0, 2, 2, 200, 200]],
  ['an update that is none, of a reader', 'guest', 'malformed-update', [0, 1, 2, 200, 200]],
  ['presence that is cut off', 'ada', 'malformed-message', [1, 200]],
  ['presence that is no JSON', 'ada', 'malformed-message', [1, 6, 1, 7, 1, 2, 120, 120]],
  ['a stateless message that is cut off', 'ada', 'malformed-message', [5, 200]],
  ['a message that only servers send', 'ada', 'malformed-message', [6, 1, 120]],
])('refuses %s in one line', async (_, token, reason, bytes) => {
  const device = connect(token)
  await device.stored()
  const encoder = encoding.createEncoder()
  encoding.writeVarString(encoder, 'ada/s/chat')
  for (const byte of bytes) encoding.writeUint8(encoder, byte)
  const { webSocket } = device.provider.configuration.websocketProvider as HocuspocusProviderWebsocket
  webSocket!.send(encoding.toUint8Array(encoder))
  await expect.poll(() => device.refusals.join()).toBe(reason)
  await expect.poll(said).toEqual([`${closing} ${reason}`])
})
