export type { RotationProgress, RotationReport } from './sync/encryption/rotate-keys.ts'
export type { SyncKeys } from './sync/encryption/sync-keys.ts'
export type { IndexEntry, IndexValue } from './sync/index-entry.ts'
export type { Refusal } from './sync/ingest.ts'
export type { BlobTransport, LinkStatus, LinkTrouble, SyncConnection, SyncLink, SyncTransport } from './sync/link.ts'
export type { LinkAwareness } from './sync/link-awareness.ts'
export type { PresenceOptions } from './sync/presence/check-presence-options.ts'
export type { PeerDraft, PeerState, PresenceCodec, PresenceState } from './sync/presence/presence-state.ts'
export type {
  BlobCounts,
  SessionSyncState,
  SyncPlan,
  SyncReport,
  SyncState,
  SyncStatus,
  Unsent,
} from './sync/status.ts'
export type { KeyChange, Sync, SyncOptions, SyncStore } from './sync/sync-contract.ts'
export type { RememberedSync, SyncMemory } from './sync/sync-memory.ts'
export { createSync } from './sync/sync-on-demand.ts'
export type { SyncSettings, SyncSnapshot } from './sync/sync-protocol.ts'
export { openSync } from './sync-client/open-sync.ts'
export type { DeviceSync, DeviceSyncSnapshot, OpenSyncOptions, SignOutOptions } from './sync-client/sync-types.ts'
