import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ChatHandler } from '../../../../src/chat.ts'
import type { Served } from '../../../support/serve.ts'

/** Serves a chat with Node's own server, on a free port of this machine. */
export async function serveChat(handle: ChatHandler): Promise<Served> {
  // Whoever goes away breaks it off, which cancels the body; and Node knows methods that no request may have.
  const server = createServer(
    (incoming, outgoing) => void answer(handle, incoming, outgoing).catch(() => outgoing.destroy()),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(handle: ChatHandler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const ending = new AbortController()
  outgoing.on('close', () => ending.abort())
  const response = await handle(requestOf(incoming, ending.signal))
  // What was refused unread would stand in the way of the connection's next request.
  if (!incoming.complete) incoming.removeAllListeners('data').resume()
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  // A model may take its time before it says anything.
  outgoing.flushHeaders()
  if (response.body === null) outgoing.end()
  else await pipeline(Readable.fromWeb(response.body as never), outgoing)
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/' } = incoming
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(`http://localhost${url}`, {
    method,
    headers,
    signal,
    ...(hasBody ? { body: Readable.toWeb(incoming) as never, duplex: 'half' } : {}),
  } as RequestInit)
}
