import type { StoreChange } from './change.ts'
import type { Encryption, EncryptionState } from './encryption.ts'
import type { MirrorState } from './mirror.ts'
import type { CoreStore, JobMethod, SessionStore } from './store/session-store.ts'

/**
 * Version of what page and worker say to each other; both must have the same, or the page takes another place to store.
 */
export type ProtocolVersion = 1

/**
 * The first message to a session worker. It carries a `MessagePort`, and everything else goes over that. A worker is
 * never told anything through its URL: bundlers add parameters of their own there.
 */
export interface OpenMessage {
  readonly keepsession: 'open'
  readonly protocol: number
  /** Name of the database. */
  readonly name: string
  /** How long another tab may hold up the opening. */
  readonly blockedAfterMs: number
  /**
   * Name of the Web Lock that the page holds while it lives: the owner of the drafts it writes, whatever becomes of the
   * worker.
   */
  readonly owner?: string | undefined
  /**
   * Operation ids that begin with this were drawn for this worker: no other one has seen them. Absent after a restart.
   */
  readonly operations?: string | undefined
  /** Whether to mirror what is stored, where that can be done. */
  readonly mirror?: boolean
  /** What its content is encrypted with. */
  readonly encryption?: Encryption | undefined
  /** Bucket in which its database is, where the origin's own databases can't be opened any more. */
  readonly bucket?: string
}

/** The store is open; from here on the port speaks Comlink. */
export interface ReadyMessage {
  readonly keepsession: 'ready'
  readonly protocol: number
  /** Name of the Web Lock that the worker holds while it lives; absent where there are no locks. */
  readonly lock?: string
  /** Drawn when the database was made. */
  readonly epoch?: string
  readonly mirror?: MirrorState
  /** Absent: it is plain. */
  readonly encryption?: EncryptionState
}

/** The store could not be opened. */
export interface FailedMessage extends WireError {
  readonly keepsession: 'failed'
}

/**
 * Among the options of a write: which call of the page it is. Sent to another worker because the first one died, it is
 * that very call, and what it may have stored counts even where it is gone again: otherwise a message that was stored
 * and deleted before the worker died would come back. Another call under the same operation id is done anew then.
 */
export interface NumberedCall {
  readonly call?: string
}

/**
 * To the page: changes of its own store, before the answer to the call that made them; and those that other tabs
 * announced on the BroadcastChannel `keepsession:<name>`, where each message is one `StoreChange`. From the page to its
 * session worker: what a job changed, before the answer to the job, so that the next read knows it.
 */
export interface ChangesMessage {
  readonly keepsession: 'changes'
  readonly changes: readonly StoreChange[]
}

/** Asks a worker whether it still answers. */
export interface PingMessage {
  readonly keepsession: 'ping'
}

export interface PongMessage {
  readonly keepsession: 'pong'
}

/** To the page, before the answers that it spoils: this worker can't reach its database any more. Another one may. */
export interface LostMessage {
  readonly keepsession: 'lost'
  readonly reason: string
}

/** To the page: what it stores is mirrored no more, or again. */
export interface MirrorMessage {
  readonly keepsession: 'mirror'
  readonly mirror: MirrorState
}

/**
 * To the page: rows of a session can't be read. It has a job worker make them again, and answers with
 * {@link MendedRows} over the port that came along, or `undefined` when it could not.
 */
export interface RepairMessage {
  readonly keepsession: 'repair'
  readonly key: string
}

export type WorkerMessage =
  | ReadyMessage
  | FailedMessage
  | ChangesMessage
  | PongMessage
  | LostMessage
  | MirrorMessage
  | RepairMessage

/** What is left of an error on its way out of a worker. */
export interface WireError {
  readonly name: string
  readonly message: string
  readonly stack?: string
}

/** One call of a store's method, as data. */
export interface StoreCall {
  readonly method: keyof SessionStore
  readonly args: readonly unknown[]
}

/** What became of a {@link StoreCall}. */
export type CallOutcome = { readonly value: unknown } | { readonly error: WireError }

/**
 * What a worker exposes: a store, with its jobs where it is a job worker, and a way to make many calls with one
 * message.
 */
export interface HostedStore extends CoreStore, Partial<Pick<SessionStore, JobMethod>> {
  /** Makes the calls in the order given, none waiting for another. Always resolves, with an outcome for each. */
  batch(calls: readonly StoreCall[]): Promise<readonly CallOutcome[]>
}
