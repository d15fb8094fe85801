import { SessionError } from '../../../contract/errors.ts'
import type { SyncConnection, SyncTransport } from '../../link.ts'
import { openWebsocketLine } from './websocket-line.ts'
import type { WebsocketTransportOptions } from './websocket-options.ts'

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
