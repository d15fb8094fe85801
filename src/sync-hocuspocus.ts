export { hocuspocusTransport } from './sync/transports/hocuspocus/hocuspocus-transport.ts'
export type { HocuspocusTransportOptions } from './sync/transports/hocuspocus/hocuspocus-transport.ts'
export type { BlobTransport, LinkStatus, SyncConnection, SyncLink, SyncTransport } from './sync/link.ts'
