import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as encoding from 'lib0/encoding'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { type SpawnedServer, spawnSyncServer } from '../support/spawn-sync-server.ts'

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

const upgrade = (host: string): string => `GET / HTTP/1.1\r\nHost: ${host}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`

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

async function open(): Promise<WebSocket> {
  const socket = new WebSocket(server.url)
  socket.addEventListener('error', () => undefined)
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  onTestFinished(() => socket.close())
  return socket
}

const codeOf = (socket: WebSocket): Promise<number> => new Promise((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)))

function frame(name: string, type: number, write: (encoder: encoding.Encoder) => void): Uint8Array<ArrayBuffer> {
  const encoder = encoding.createEncoder()
  encoding.writeVarString(encoder, name)
  encoding.writeVarUint(encoder, type)
  write(encoder)
  return new Uint8Array(encoding.toUint8Array(encoder))
}

describe('whoever has no token', () => {
  it.each([['a refused upgrade', '['], ['an upgrade', 'a']])('can not end the server by a reset after %s', async (_, host) => {
    for (let i = 0; i < 60; i++) await reset(upgrade(host))
    expect((await fetch(`${server.httpUrl}/health`)).status).toBe(200)
  })

  it('can not fill the memory with what waits for one: the connection ends at a few MiB', async () => {
    const socket = await open()
    const closed = codeOf(socket)
    for (let i = 0; i < 8; i++) socket.send(frame('ada/s/chat', 0, (encoder) => encoding.writeVarUint8Array(encoder, new Uint8Array(1_000_000))))
    expect(await closed).toBe(4205)
  })
})
