import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { hocuspocusTransport } from '../../src/sync/transports/hocuspocus/hocuspocus-transport.ts'
import { httpBlobs } from '../../src/sync/transports/hocuspocus/http-blobs.ts'

it('carries blobs over HTTP, with the token, and says what the server refuses', async () => {
  const stored = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const path = request.url!
    if (request.headers.authorization !== 'Bearer t') return response.writeHead(401).end('denied')
    if (request.method === 'GET' || request.method === 'HEAD')
      return stored.has(path) ? response.end(stored.get(path)) : response.writeHead(404).end()
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
  await expect(hocuspocusTransport({ url, WebSocket }).blobs.getBlob('n s', 'ab')).rejects.toMatchObject({
    name: 'AccessDenied',
  })
})

describe('a slow connection', () => {
  const hash = 'a'.repeat(64)
  /** Has requests answered by a function, on a clock that the test moves. */
  function answerWith(answer: (signal: AbortSignal) => Promise<Response>): void {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    vi.stubGlobal('fetch', (_: string, { signal }: { signal: AbortSignal }) => answer(signal))
    onTestFinished(() => {
      vi.useRealTimers()
      vi.unstubAllGlobals()
    })
  }
  const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

  it('brings a blob for as long as something comes, and is given up when nothing does', async () => {
    let body!: ReadableStreamDefaultController<Uint8Array>
    answerWith(
      async (signal) =>
        new Response(
          new ReadableStream({
            start: (controller) => {
              body = controller
              signal.addEventListener('abort', () => controller.error(signal.reason))
            },
          }),
        ),
    )
    const { getBlob } = httpBlobs('ws://host', () => 't')
    const whole = getBlob('ada', hash)
    for (let i = 0; i < 20; i++) {
      await pass(100_000)
      body.enqueue(new Uint8Array([i]))
    }
    body.close()
    expect(new Uint8Array(await (await whole)!.arrayBuffer())).toEqual(Uint8Array.from({ length: 20 }, (_, i) => i))
    const half = expect(getBlob('ada', hash)).rejects.toMatchObject({ name: 'TimeoutError' })
    await pass(0)
    body.enqueue(new Uint8Array(10))
    await pass(121_000)
    await half
    expect(vi.getTimerCount()).toBe(0)
  })

  it('has the longer for a blob the larger that is', async () => {
    answerWith(
      (signal) =>
        new Promise((resolve, reject) => {
          setTimeout(() => resolve(new Response()), 300_000)
          signal.addEventListener('abort', () => reject(signal.reason as Error))
        }),
    )
    const { putBlob } = httpBlobs('ws://host', () => 't')
    const large = expect(putBlob('ada', hash, new Blob([new Uint8Array(1_000_000)]))).resolves.toBeUndefined()
    const small = expect(putBlob('ada', hash, new Blob(['small']))).rejects.toMatchObject({ name: 'TimeoutError' })
    await pass(300_000)
    await Promise.all([large, small])
  })

  it('is not waited for where the app never gives a token', async () => {
    answerWith(() => expect.unreachable('It was asked without a token.'))
    const asked = expect(
      httpBlobs('ws://host', () => new Promise(() => undefined)).hasBlob('ada', hash),
    ).rejects.toMatchObject({ name: 'StorageUnavailable' })
    await pass(121_000)
    await asked
  })
})
