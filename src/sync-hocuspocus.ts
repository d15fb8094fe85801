export type { BlobTransport, LinkStatus, SyncConnection, SyncLink, SyncTransport } from './sync/link.ts'
export type { HocuspocusTransportOptions } from './sync/transports/hocuspocus/hocuspocus-transport.ts'
export { hocuspocusTransport } from './sync/transports/hocuspocus/hocuspocus-transport.ts'
