import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as encoding from 'lib0/encoding'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { type SpawnedServer, spawnSyncServer } from '../support/spawn-sync-server.ts'
import { openSyncDevice } from '../support/sync-device.ts'

let data: string
let server: SpawnedServer

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'sync-data-'))
  server = await spawnSyncServer({ data, secret: 'secret' })
})
afterEach(async () => {
  await server.kill()
  await rm(data, { recursive: true, force: true })
})

const upgrade = (host: string): string =>
  `GET / HTTP/1.1\r\nHost: ${host}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`

/** Sends so much of HTTP, and resets the connection once it was answered. */
async function reset(request: string): Promise<void> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
  socket.write(request)
  await new Promise((resolve) => socket.once('data', resolve).once('close', resolve))
  socket.write('x'.repeat(100_000))
  socket.resetAndDestroy()
}

/** Sends an upgrade and then frames that no client makes; resolves when the server has ended the connection. */
async function sendRaw(request: string, after: Uint8Array): Promise<void> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve))
  socket.write(request)
  await new Promise((resolve) => socket.once('data', resolve))
  socket.write(after)
  await closed
}

async function open(): Promise<WebSocket> {
  const socket = new WebSocket(server.url)
  socket.addEventListener('error', () => undefined)
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  onTestFinished(() => socket.close())
  return socket
}

const codeOf = (socket: WebSocket): Promise<number> =>
  new Promise((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)))

function frame(name: string, type: number, write: (encoder: encoding.Encoder) => void): Uint8Array<ArrayBuffer> {
  const encoder = encoding.createEncoder()
  encoding.writeVarString(encoder, name)
  encoding.writeVarUint(encoder, type)
  write(encoder)
  return new Uint8Array(encoding.toUint8Array(encoder))
}

describe('whoever has no token', () => {
  it.each([
    ['a refused upgrade', '['],
    ['an upgrade', 'a'],
  ])('can not end the server by a reset after %s', async (_, host) => {
    for (let i = 0; i < 60; i++) await reset(upgrade(host))
    expect((await fetch(`${server.httpUrl}/health`)).status).toBe(200)
  })

  it('can not fill the memory with what waits for one: the connection ends at a few MiB', async () => {
    const socket = await open()
    const closed = codeOf(socket)
    for (let i = 0; i < 8; i++)
      socket.send(frame('ada/s/chat', 0, (encoder) => encoding.writeVarUint8Array(encoder, new Uint8Array(1_000_000))))
    expect(await closed).toBe(4205)
  })

  it('can not flood the log: what can not be read ends the connection without a word', async () => {
    const before = server.output()
    const token = frame('ada/s/chat', 2, (encoder) => encoding.writeVarUint(encoder, 0))
    for (const malformed of [new Uint8Array([200]), token]) {
      const socket = await open()
      const closed = codeOf(socket)
      for (let i = 0; i < 100; i++) socket.send(malformed)
      expect(await closed).toBe(1002)
    }
    await sendRaw(upgrade('a'), new Uint8Array([0xf2, 0x80, 1, 2, 3, 4]))
    expect(server.output()).toBe(before)
  })
})

/** Memory of the server, in MiB. */
async function resident(): Promise<number> {
  return Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024
}

async function opened(name: string): Promise<WebSocket> {
  const socket = await open()
  const answered = new Promise((resolve) => socket.addEventListener('message', resolve, { once: true }))
  socket.send(
    frame(name, 2, (encoder) => {
      encoding.writeVarUint(encoder, 0)
      encoding.writeVarString(encoder, 'secret')
    }),
  )
  await answered
  return socket
}

/** Presence of so many, from an id on. */
const presence = (first: number, count: number, state = '{}'): Uint8Array<ArrayBuffer> =>
  frame('ada/s/chat', 1, (encoder) => {
    const all = encoding.createEncoder()
    encoding.writeVarUint(all, count)
    for (let id = first; id < first + count; id++) {
      encoding.writeVarUint(all, id)
      encoding.writeVarUint(all, 1)
      encoding.writeVarString(all, state)
    }
    encoding.writeVarUint8Array(encoder, encoding.toUint8Array(all))
  })

describe('whoever has a token', () => {
  it.runIf(process.platform === 'linux')(
    'can not fill the memory by asking again and again and reading nothing, and gets all answers once they read',
    async () => {
      const device = openSyncDevice(server.url, 'ada/s/chat', 'secret')
      for (let i = 0; i < 4; i++) {
        device.push('x'.repeat(480_000))
        await device.stored()
      }
      device.close()
      const socket = await opened('ada/s/chat')
      const stream = (socket as unknown as { readonly _socket: Socket })._socket
      const before = await resident()
      stream.pause()
      let answers = 0
      socket.addEventListener('message', ({ data }) => (answers += (data as Buffer).length > 1_000_000 ? 1 : 0))
      for (let i = 0; i < 100; i++)
        socket.send(
          frame('ada/s/chat', 0, (encoder) => {
            encoding.writeVarUint(encoder, 0)
            encoding.writeVarUint8Array(encoder, new Uint8Array([0]))
          }),
        )
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      expect((await resident()) - before).toBeLessThan(150)
      stream.resume()
      await expect.poll(() => answers, { timeout: 60_000 }).toBe(100)
    },
    90_000,
  )

  it('can not make others see more than a client takes', async () => {
    const witness = openSyncDevice(server.url, 'ada/s/chat', 'secret')
    onTestFinished(() => witness.close())
    await witness.stored()
    const socket = await opened('ada/s/chat')
    socket.send(presence(1, 1, JSON.stringify('x'.repeat(40_000))))
    for (let round = 1; round <= 5; round++) socket.send(presence(round * 1_000, 900))
    socket.send(presence(6_000, 1, '"last"'))
    const seen = () => witness.provider.awareness!.getStates()
    await expect.poll(() => seen().size).toBeGreaterThan(50)
    expect(seen().size).toBeLessThanOrEqual(66)
    expect(seen().has(1)).toBe(false)
    const refused = codeOf(socket)
    socket.send(presence(10_000, 5_000))
    await expect
      .poll(async () => (await fetch(`${server.httpUrl}/metrics`)).text())
      .toContain('refused_total{reason="too-many-present"} 1')
    socket.close()
    await refused
  })

  it('can not stop the server for others by what waits for something that never comes', async () => {
    const device = openSyncDevice(server.url, 'ada/s/other', 'secret')
    onTestFinished(() => device.close())
    await device.stored()
    const socket = await opened('ada/s/chat')
    const count = 50_000
    socket.send(
      frame('ada/s/chat', 0, (encoder) => {
        const update = encoding.createEncoder()
        encoding.writeVarUint(update, count)
        for (let client = 1_000_000 + count; client > 1_000_000; client--) {
          for (const number of [1, client, 1]) encoding.writeVarUint(update, number)
          encoding.writeUint8(update, 0x88)
          for (const number of [client, 0, 1]) encoding.writeVarUint(update, number)
          encoding.writeAny(update, 'x')
        }
        encoding.writeVarUint(update, 0)
        encoding.writeVarUint(encoder, 2)
        encoding.writeVarUint8Array(encoder, encoding.toUint8Array(update))
      }),
    )
    // `check-gaps.test.ts` has how long that takes.
    device.push('hello')
    await device.stored()
    expect(await (await fetch(`${server.httpUrl}/metrics`)).text()).toContain(
      'refused_total{reason="update-with-gaps"} 1',
    )
  })
})
