import { type BlobsOnDemand, blobsOnDemand } from './blobs-on-demand.ts'
import type { SyncKeys } from './encryption/sync-keys.ts'
import { type IndexDocument, openIndexDocument } from './index-document.ts'
import { createKeyGate, type KeyGate, type KeyGateOptions } from './key-gate.ts'
import { createLocalSessions, type LocalSessions } from './local-sessions.ts'
import type { BlobCounts } from './status.ts'
import type { SyncCodec } from './sync-codec.ts'
import type { SyncOptions } from './sync-contract.ts'
import { unprotected } from './unprotected.ts'

/** What is named and encoded with one key, or in the clear. Another key needs another set of all of these. */
export interface KeyScope {
  readonly keys: SyncKeys | undefined
  readonly codec: SyncCodec
  readonly gate: KeyGate
  readonly locals: LocalSessions
  readonly index: IndexDocument
  readonly blobs: BlobsOnDemand
  /** Sessions that are sealed with another key: they are requested again when the key changes. */
  readonly sealed: Set<string>
}

export interface KeyScopeOptions
  extends Pick<SyncOptions, 'store' | 'transport' | 'namespace'>,
    Omit<KeyGateOptions, 'look' | 'marks'> {
  readonly keys: SyncKeys | undefined
  readonly now: () => number
  /** The list of sessions, if it is known. */
  readonly state?: Uint8Array | undefined
  /** The counts of earlier exchanges, which are continued. */
  readonly before?: BlobCounts | undefined
  readonly onList: () => void
  readonly onBlobs: () => void
}

export async function openKeyScope({
  state,
  before,
  now,
  onList,
  onBlobs,
  ...options
}: KeyScopeOptions): Promise<KeyScope> {
  const { store, transport, namespace, keys } = options
  const { codec, over, check } =
    keys === undefined ? unprotected(namespace) : (await import('./encryption/protect-by-keys.ts')).protectByKeys(keys)
  const index = await openIndexDocument({
    name: `${namespace}/index`,
    codec: codec.index,
    now,
    state,
    onChange: onList,
  })
  return {
    keys,
    codec,
    index,
    gate: createKeyGate({ ...options, look: check, marks: index.marks }),
    locals: createLocalSessions(store, codec.idOf),
    blobs: blobsOnDemand({
      store,
      namespace,
      before,
      onChange: onBlobs,
      blobs: transport.blobs && over(transport.blobs),
    }),
    sealed: new Set(),
  }
}
