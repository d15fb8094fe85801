export { broadcastTransport } from './sync/transports/channel/broadcast-transport.ts'
export { portTransport } from './sync/transports/channel/port-transport.ts'
export type { BroadcastTransportOptions } from './sync/transports/channel/broadcast-transport.ts'
export type { LinkStatus, SyncConnection, SyncLink, SyncTransport } from './sync/link.ts'
