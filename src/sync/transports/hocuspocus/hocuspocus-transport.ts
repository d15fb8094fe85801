import { SessionError } from '../../../contract/errors.ts'
import type { BlobTransport, SyncTransport } from '../../link.ts'
import { createHocuspocusSocket, type HocuspocusSocket } from './hocuspocus-socket.ts'
import { httpBlobs } from './http-blobs.ts'
import { createRefusedSizes } from './refused-sizes.ts'

export interface HocuspocusTransportOptions {
  /** `ws:` or `wss:`. Blobs go to the same host and path over `http:` or `https:`. */
  readonly url: string
  /**
   * Called for each document that is opened, so that tokens may be short-lived. If it rejects, the document ends with
   * `error`.
   */
  readonly token?: () => Promise<string> | string
  /** Needed where there is no global one, as in Node 20. */
  readonly WebSocket?: typeof WebSocket
}

/**
 * Sync over a Hocuspocus server: all documents on one connection, which is made with the first of them and closed with
 * the last.
 */
export function hocuspocusTransport({
  url,
  token = () => '',
  WebSocket = globalThis.WebSocket,
}: HocuspocusTransportOptions): SyncTransport & { readonly blobs: BlobTransport } {
  if (!/^wss?:\/\//.test(String(url)) || !URL.canParse(url))
    throw new SessionError(
      'InvalidInput',
      `hocuspocusTransport needs the ws: or wss: URL of a server, not ${JSON.stringify(url)}.`,
    )
  if (typeof token !== 'function')
    throw new SessionError(
      'InvalidInput',
      'hocuspocusTransport needs `token` to be a function, which is asked again for each document.',
    )
  if (typeof WebSocket !== 'function')
    throw new SessionError('InvalidInput', 'There is no WebSocket here. Give hocuspocusTransport one in `WebSocket`.')
  let socket: HocuspocusSocket | undefined
  const sizes = createRefusedSizes()
  return {
    open: (link) => {
      if (socket === undefined || socket.isOver()) socket = createHocuspocusSocket({ url, token, WebSocket, sizes })
      return socket.open(link)
    },
    blobs: httpBlobs(url, token),
    close: async () => socket?.close(),
  }
}
