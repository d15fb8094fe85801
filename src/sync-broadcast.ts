export type { LinkStatus, SyncConnection, SyncLink, SyncTransport } from './sync/link.ts'
export type { BroadcastTransportOptions } from './sync/transports/channel/broadcast-transport.ts'
export { broadcastTransport } from './sync/transports/channel/broadcast-transport.ts'
export { portTransport } from './sync/transports/channel/port-transport.ts'
