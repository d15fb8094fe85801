import { type BlobsOnDemand, blobsOnDemand } from './blobs-on-demand.ts'
import type { SyncKeys } from './encryption/sync-keys.ts'
import { type IndexDocument, openIndexDocument } from './index-document.ts'
import { createKeyGate, type KeyGate, type KeyGateOptions } from './key-gate.ts'
import { createLocalSessions, type LocalSessions } from './local-sessions.ts'
import type { BlobCounts } from './status.ts'
import type { SyncCodec } from './sync-codec.ts'
import type { SyncOptions } from './sync-contract.ts'
import { unprotected } from './unprotected.ts'

/** What is named and written with one key, or in the clear. Another key has others of all. */
export interface UnderKey {
  readonly keys: SyncKeys | undefined
  readonly codec: SyncCodec
  readonly gate: KeyGate
  readonly locals: LocalSessions
  readonly index: IndexDocument
  readonly blobs: BlobsOnDemand
  /** Sessions that are sealed with another key: asked for again with another one. */
  readonly sealed: Set<string>
}

export interface UnderKeyOptions extends Pick<SyncOptions, 'store' | 'transport' | 'namespace'>, Omit<KeyGateOptions, 'look' | 'marks'> {
  readonly keys: SyncKeys | undefined
  readonly now: () => number
  /** The list of sessions, where something of it is known. */
  readonly state?: Uint8Array | undefined
  /** What was carried before, to be counted on. */
  readonly before?: BlobCounts | undefined
  readonly onList: () => void
  readonly onBlobs: () => void
}

export async function openUnderKey({ state, before, now, onList, onBlobs, ...options }: UnderKeyOptions): Promise<UnderKey> {
  const { store, transport, namespace, keys } = options
  const { codec, over, check } = keys === undefined ? unprotected(namespace) : (await import('./encryption/protect-by-keys.ts')).protectByKeys(keys)
  const index = await openIndexDocument({ name: `${namespace}/index`, codec: codec.index, now, state, onChange: onList })
  return {
    keys, codec, index,
    gate: createKeyGate({ ...options, look: check, marks: index.marks }),
    locals: createLocalSessions(store, codec.idOf),
    blobs: blobsOnDemand({ store, namespace, before, onChange: onBlobs, blobs: transport.blobs && over(transport.blobs) }),
    sealed: new Set(),
  }
}
