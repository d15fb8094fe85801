import type { VersionVector } from '../contract/entry.ts'
import type { LinkTrouble, SyncTransport } from './link.ts'
import type { Visit } from './presence/create-presence.ts'
import type { ReceiveReport } from './receive-report.ts'
import type { SyncDocumentOptions } from './sync-document-options.ts'

/** What is in the way of one session: its connection, or a key that is not here. */
export type SessionTrouble = LinkTrouble | { readonly state: 'wrongKey'; readonly message: string }

export interface SessionLinkOptions extends SyncDocumentOptions {
  readonly transport: SyncTransport
  /** Who is here, where presence is on; left when the link is closed. */
  readonly visit?: Visit
  readonly onReport: (report: ReceiveReport) => void
  /** So many entries are on their way to the other side. */
  readonly onSent: (entries: number) => void
  /** Both sides have the same, as far as the other's is allowed here. Again after each time that was no longer so. */
  readonly onSynced: (vector: VersionVector) => void
  /** It ended, or can't go on as it is. */
  readonly onTrouble: (trouble: SessionTrouble) => void
}
