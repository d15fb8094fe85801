import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { startSyncServer } from '../../server/index.js'
import type { SyncServer } from '../../server/src/options.js'
import { openSyncDevice } from '../support/sync-device.ts'

let data: string
let server: SyncServer
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'sync-data-'))
  server = await startSyncServer({ port: 0, data, secret: 'secret', say: () => {}, limits: { authenticateMs: 300 } })
})
afterEach(async () => {
  await server.close()
  await rm(data, { recursive: true, force: true })
})

/** Sends so much of HTTP; resolves when the server has ended the connection. */
function cutAfter(text: string): Promise<unknown> {
  const socket = connect(server.port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.on('connect', () => socket.write(text))
  socket.resume()
  return new Promise((resolve) => socket.once('close', resolve))
}

/** The code that a connection ends with that opens no document. */
function codeOfSilent(): Promise<number> {
  const socket = new WebSocket(server.url)
  socket.addEventListener('error', () => undefined)
  return new Promise((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)))
}

it('ends every socket that shows no token', async () => {
  const codes = await Promise.all(Array.from({ length: 200 }, codeOfSilent))
  // Where this process is too slow to send the upgrade in time, the connection ends without one.
  expect(codes.filter((code) => code !== 4408 && code !== 1006)).toEqual([])
  expect(await codeOfSilent()).toBe(4408)
  expect(await (await fetch(`${server.httpUrl}/metrics`)).text()).toContain('refused_total{reason="not-authenticated"}')
})

it('ends requests whose head does not arrive', async () => {
  await Promise.all(['', 'GET / HTTP/1.1\r\nHost: a', 'GET / HTTP/1.1\r\nUpgrade: websocket\r\n'].map(cutAfter))
})

it('keeps who was let in, however long they say nothing', async () => {
  const device = openSyncDevice(server.url, 'ada/s/chat', 'secret')
  await device.stored()
  // One that came later has had its time.
  await codeOfSilent()
  device.push('said')
  await device.stored()
  expect(device.refusals).toEqual([])
  device.close()
})
