import { SessionError } from '../../../contract/errors.ts'
import type { SyncConnection, SyncTransport } from '../../link.ts'
import { openWebsocketLine } from './websocket-line.ts'

export interface WebsocketTransportOptions {
  /** `ws:` or `wss:`; the document's name is appended. */
  readonly url: string
  /** The query of the URL, such as a token. A function is called for each document that is opened. */
  readonly params?:
    | Readonly<Record<string, string>>
    | (() => Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>)
  /** Needed where there is no global one, as in Node 20. */
  readonly WebSocket?: typeof WebSocket
}

/** Sync over a server of y-websocket's protocol: a connection for each document. */
export function websocketTransport({
  url,
  params = {},
  WebSocket = globalThis.WebSocket,
}: WebsocketTransportOptions): SyncTransport {
  if (!/^wss?:\/\//.test(String(url)) || !URL.canParse(url))
    throw new SessionError(
      'InvalidInput',
      `websocketTransport needs the ws: or wss: URL of a server, not ${JSON.stringify(url)}.`,
    )
  if (typeof WebSocket !== 'function')
    throw new SessionError('InvalidInput', 'There is no WebSocket here. Give websocketTransport one in `WebSocket`.')
  const connections = new Set<SyncConnection>()
  return {
    open: (link) => {
      const connection = openWebsocketLine({
        link,
        url,
        params,
        WebSocket,
        onEnd: () => connections.delete(connection),
      })
      connections.add(connection)
      return connection
    },
    close: async () => void (await Promise.all([...connections].map((connection) => connection.close()))),
  }
}
