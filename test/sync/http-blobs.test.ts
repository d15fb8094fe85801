import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { hocuspocusTransport } from '../../src/sync/transports/hocuspocus/hocuspocus-transport.ts'

it('carries blobs over HTTP, with the token, and says what the server refuses', async () => {
  const stored = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const path = request.url!
    if (request.headers.authorization !== 'Bearer t') return response.writeHead(401).end('denied')
    if (request.method === 'GET' || request.method === 'HEAD') return stored.has(path) ? response.end(stored.get(path)) : response.writeHead(404).end()
    const body = Buffer.concat(await request.toArray())
    if (body.length > 10) return response.writeHead(413).end('a blob may have 10 bytes')
    stored.set(path, body)
    return response.writeHead(201).end()
  }).listen(0)
  onTestFinished(() => void server.close())
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { blobs } = hocuspocusTransport({ url, token: async () => 't', WebSocket })
  await blobs.putBlob('n s', 'ab', new Blob(['hello']))
  expect([...stored.keys()]).toEqual(['/blobs/n%20s/ab'])
  expect(await (await blobs.getBlob('n s', 'ab'))!.text()).toBe('hello')
  expect(await blobs.getBlob('n s', 'cd')).toBeUndefined()
  expect([await blobs.hasBlob('n s', 'ab'), await blobs.hasBlob('n s', 'cd')]).toEqual([true, false])
  await expect(blobs.putBlob('n s', 'ef', new Blob(['x'.repeat(11)]))).rejects.toMatchObject({ name: 'TooLarge' })
  await expect(hocuspocusTransport({ url, WebSocket }).blobs.getBlob('n s', 'ab')).rejects.toMatchObject({ name: 'AccessDenied' })
})
