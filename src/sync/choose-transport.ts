import { SessionError } from '../contract/errors.ts'
import type { SyncTransport } from './link.ts'
import { hocuspocusTransport } from './transports/hocuspocus/hocuspocus-transport.ts'
import type { TransportChoice } from './worker-protocol.ts'

/** The transport that was chosen by its name. */
export function chooseTransport(choice: TransportChoice, token: () => Promise<string>): SyncTransport {
  if (choice.kind === 'hocuspocus') return hocuspocusTransport({ url: choice.url, token })
  throw new SessionError('InvalidInput', `There is no transport ${JSON.stringify((choice as { kind?: unknown }).kind)}. There are: hocuspocus, websocket, port; or a function that makes one.`)
}
