import type { Doc } from 'yjs'
import type { LinkAwareness } from './link-awareness.ts'

/** Why a document's connection ended, or takes nothing from here (`readonly`, which goes on). What doesn't mend by itself says what is wrong. */
export type LinkTrouble = { readonly state: 'offline' } | { readonly state: 'readonly' } | { readonly state: 'denied' | 'oversized' | 'error'; readonly message: string }

/** How one document's connection stands. */
export type LinkStatus = { readonly state: 'connecting' } | { readonly state: 'connected' } | LinkTrouble

/** What a transport is given for each document. */
export interface SyncLink {
  readonly name: string
  /** To be read: its state vector, and its updates, to be sent on unless their origin is the connection's own. Never to be written to. */
  readonly doc: Doc
  /** Who is here, where presence is on. */
  readonly awareness?: LinkAwareness
  /**
   * Takes in an update, or the answer to a state vector: checks it, stores what is new, and only then puts it into `doc` with this origin.
   * Resolves when that is done, whatever became of it; what was refused is in the report.
   */
  receive(update: Uint8Array, origin: unknown): Promise<void>
  /** What the other side says it has, as an encoded state vector: what proves that everything arrived. */
  peerHas(stateVector: Uint8Array): void
  status(status: LinkStatus): void
  /** Among equals: how many others have it open; 0 once nobody has answered for a while. */
  others?(count: number): void
}

/** One document's connection. */
export interface SyncConnection {
  /** Asks the other side what it has, once everything that is here has been sent, and sends it what it lacks. */
  ask(): void
  /** Resolves when nothing that came is being taken in any more. */
  close(): Promise<void>
}

/**
 * Carries updates of documents to other devices. Whoever opens a document here opens it again after a failure, later each time: a connection
 * that is lost ends with `offline`, and does not come back by itself.
 */
export interface SyncTransport {
  /** Statuses come later than this returns. After the one that ends the connection nothing is received, and `close` only waits for what is under way. */
  open(link: SyncLink): SyncConnection
  /** Among equals, where nobody keeps anything for the others: hears which documents are asked for that are not open here. Returns how to stop. */
  readonly onAsked?: (listener: (name: string) => void) => () => void
  /** Where large content travels, if this one carries it. */
  readonly blobs?: BlobTransport
  /** Ends every connection. */
  close(): Promise<void>
}

/** Where large content travels, by its SHA-256 in hex. `namespace` is what stands before the first `/` of the documents' names. */
export interface BlobTransport {
  /** Whether it is there already, so that it need not be sent. Where that can't be told, `false`: it is sent again. */
  hasBlob(namespace: string, hash: string): Promise<boolean>
  putBlob(namespace: string, hash: string, bytes: Blob): Promise<void>
  /** Not checked: whoever asked compares the hash. */
  getBlob(namespace: string, hash: string): Promise<Blob | undefined>
}
