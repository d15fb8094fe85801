import type { Doc } from 'yjs'
import type { LinkAwareness } from './link-awareness.ts'

/**
 * Why a document's connection ended, or accepts nothing from here (`readonly`, where the connection stays open). A a
 * problem that needs an action has a message.
 */
export type LinkTrouble =
  | { readonly state: 'offline' }
  | { readonly state: 'readonly' }
  | { readonly state: 'denied' | 'oversized' | 'error'; readonly message: string }

/** The state of one document's connection. */
export type LinkStatus = { readonly state: 'connecting' } | { readonly state: 'connected' } | LinkTrouble

/** What a transport is given for each document. */
export interface SyncLink {
  readonly name: string
  /** Read its state vector, and send on its updates unless their origin is the connection itself. Never write to it. */
  readonly doc: Doc
  /** Who is here, if presence is on. */
  readonly awareness?: LinkAwareness
  /**
   * Takes in an update, or the answer to a state vector: checks it, stores what is new, and only then applies it to
   * `doc` with this origin. Always resolves when that is done; what was refused is in the report.
   */
  receive(update: Uint8Array, origin: unknown): Promise<void>
  /** The other side says what it has, as an encoded state vector. This proves that everything arrived. */
  peerHas(stateVector: Uint8Array): void
  status(status: LinkStatus): void
  /** Among peers: how many others have the document open; 0 when nobody has answered for a while. */
  others?(count: number): void
}

/** One document's connection. */
export interface SyncConnection {
  /** Asks the other side what it has, once everything from here has been sent, and sends what it lacks. */
  ask(): void
  /** Resolves when everything that arrived has been processed. */
  close(): Promise<void>
}

/**
 * Carries updates of documents to other devices. A connection that is lost ends with `offline` and does not come back
 * by itself: sync opens the document again after a failure, with growing waits.
 */
export interface SyncTransport {
  /**
   * Statuses come after this has returned. After the one that ends the connection nothing is received, and `close` only
   * waits for what is under way.
   */
  open(link: SyncLink): SyncConnection
  /**
   * Among peers, where nobody keeps documents for the others: calls back with the names of requested documents that are
   * not open here. Returns how to stop.
   */
  readonly onAsked?: (listener: (name: string) => void) => () => void
  /** Carries large content, if this transport can. */
  readonly blobs?: BlobTransport
  /** Ends every connection. */
  close(): Promise<void>
}

/**
 * Carries large content, named by its SHA-256 in hex. `namespace` is the part of the documents' names before the first
 * `/`.
 */
export interface BlobTransport {
  /** Whether it is there already, so that it need not be sent. `false` where that is unknown: it is sent again. */
  hasBlob(namespace: string, hash: string): Promise<boolean>
  putBlob(namespace: string, hash: string, bytes: Blob): Promise<void>
  /** The bytes are not verified: the caller compares the hash. */
  getBlob(namespace: string, hash: string): Promise<Blob | undefined>
}
