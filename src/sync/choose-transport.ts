import { SessionError } from '../contract/errors.ts'
import type { SyncTransport } from './link.ts'
import type { TransportChoice } from './sync-protocol.ts'
import { portTransport } from './transports/channel/port-transport.ts'
import { hocuspocusTransport } from './transports/hocuspocus/hocuspocus-transport.ts'
import { websocketTransport } from './transports/websocket/websocket-transport.ts'

/** Makes the transport that was chosen by name. */
export function chooseTransport(choice: TransportChoice, token: () => Promise<string>): SyncTransport {
  switch (choice.kind) {
    case 'hocuspocus':
      return hocuspocusTransport({ url: choice.url, token })
    case 'websocket':
      return websocketTransport({ url: choice.url, params: async () => ({ token: await token() }) })
    case 'port':
      return portTransport(choice.port)
    default:
      throw new SessionError(
        'InvalidInput',
        `Unknown transport ${JSON.stringify((choice satisfies never as { kind?: unknown }).kind)}. Use hocuspocus, websocket or port, or a function that makes a transport.`,
      )
  }
}
