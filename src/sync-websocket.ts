export type { LinkStatus, SyncConnection, SyncLink, SyncTransport } from './sync/link.ts'
export type { WebsocketTransportOptions } from './sync/transports/websocket/websocket-options.ts'
export { websocketTransport } from './sync/transports/websocket/websocket-transport.ts'
