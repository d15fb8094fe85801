import type { CoreBackend } from './backend.ts'
import type { StoreChange } from './change.ts'
import type { Encryption, EncryptionState } from './encryption.ts'
import type { MirrorState } from './mirror.ts'
import type { CoreStore, JobMethod, SessionStore } from './store/session-store.ts'

/** Version of the protocol between page and worker. Both must have the same; otherwise the page uses other storage. */
export type ProtocolVersion = 1

/**
 * The first message to a session worker. It carries a `MessagePort` for everything else. A worker never receives
 * options in its URL, because bundlers add parameters of their own there.
 */
export interface OpenMessage {
  readonly keepsession: 'open'
  readonly protocol: number
  /** Name of the database. */
  readonly name: string
  /** How long another tab may block the opening. */
  readonly blockedAfterMs: number
  /**
   * Name of the Web Lock that the page holds while it lives: the owner of the drafts it writes, even if the worker
   * dies.
   */
  readonly owner?: string | undefined
  /**
   * Operation ids with this prefix were drawn for this worker, so no other worker has seen them. Absent after a
   * restart.
   */
  readonly operations?: string | undefined
  /** Whether to mirror what is stored, if possible. */
  readonly mirror?: boolean
  /** Opens its encrypted content. */
  readonly encryption?: Encryption | undefined
  /** Bucket of its database, if the origin's own databases can't be opened any more. */
  readonly bucket?: string
}

/** The store is open; from here on the port speaks Comlink. */
export interface ReadyMessage {
  readonly keepsession: 'ready'
  readonly protocol: number
  /** Name of the Web Lock that the worker holds while it lives; absent if the browser has no locks. */
  readonly lock?: string
  /** A random id of the database, drawn when it was created. */
  readonly epoch?: string
  readonly mirror?: MirrorState
  /** Absent: it is not encrypted. */
  readonly encryption?: EncryptionState
}

/** The store could not be opened. */
export interface FailedMessage extends WireError {
  readonly keepsession: 'failed'
  /** That of the worker: a page of another release starts one of its own. */
  readonly protocol?: number
}

/**
 * An option of a write: the number of the page's call. A call that is sent to another worker because the first one died
 * is the same call. What it stored counts even if that is gone by now; otherwise a message that was stored and deleted
 * before the worker died would come back. Another call with the same operation id is performed again in that case.
 */
export interface NumberedCall {
  readonly call?: string
}

/**
 * To the page: changes of its own store, sent before the answer to the call that made them, and changes that other tabs
 * announced on the BroadcastChannel `keepsession:<name>`, where each message is one `StoreChange`. From the page to its
 * session worker: changes made by a job, sent before the answer to the job, so that the next read includes them.
 */
export interface ChangesMessage {
  readonly keepsession: 'changes'
  readonly changes: readonly StoreChange[]
}

/** To the workers of other tabs, over the same channel: a worker with a journal began, and holds this Web Lock. */
export interface JournalMessage {
  readonly keepsession: 'journal'
  readonly lock: string
}

/** Asks a worker whether it still answers. */
export interface PingMessage {
  readonly keepsession: 'ping'
}

export interface PongMessage {
  readonly keepsession: 'pong'
}

/**
 * To the page, before the answers that this affects: this worker can't reach its database any more. Another one may.
 */
export interface LostMessage {
  readonly keepsession: 'lost'
  readonly reason: string
}

/** To the page: mirroring has stopped or resumed. */
export interface MirrorMessage {
  readonly keepsession: 'mirror'
  readonly mirror: MirrorState
}

/**
 * To the page: rows of a session can't be read. The page has a job worker rebuild them, and answers over the attached
 * port with {@link RepairedRows}, or with `undefined` if that was not possible.
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

/** The fields of an error that survive the way out of a worker. */
export interface WireError {
  readonly name: string
  readonly message: string
  readonly stack?: string
}

/** A method that one message can call together with others. */
export type HostedMethod = keyof SessionStore | 'fold'

/** One call of a worker's method, as data. */
export interface HostedCall {
  readonly method: HostedMethod
  readonly args: readonly unknown[]
}

/** One call of a store's method, as data. */
export interface StoreCall extends HostedCall {
  readonly method: keyof SessionStore
}

/** The outcome of a {@link HostedCall}. */
export type CallOutcome = { readonly value: unknown } | { readonly error: WireError }

/**
 * What a worker exposes: a store, with its jobs if it is a job worker, and a method that makes many calls with one
 * message.
 */
export interface HostedStore extends CoreStore, Partial<Pick<SessionStore, JobMethod>> {
  /** Makes the calls in the given order without waiting for each other. Always resolves, with an outcome for each. */
  batch(calls: readonly HostedCall[]): Promise<readonly CallOutcome[]>
  /** In a session worker: stores in the database what only the journal has, so that other workers see it. */
  readonly fold?: CoreBackend['fold']
  /** In a session worker with an encrypted store: it was given another key or passphrase. */
  readonly relock?: (to: Encryption) => Promise<void>
}
