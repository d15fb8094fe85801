import type { JsonObject, JsonValue } from '../../contract/json.ts'

/** What one device tells the others of one session. */
export interface PresenceState {
  /** Drawn when the first tab of a device starts to sync: a connection that was lost may be shown for a while beside the one after it, and is the same one by this. */
  readonly device: string
  readonly user: JsonObject
  readonly typing?: true
  readonly draft?: DraftPiece
}

/** The end of a reply that is being streamed. */
export interface DraftPiece {
  readonly id: string
  readonly role: string
  /** Where the piece begins in the whole text, in UTF-16 units, as `length` counts them. */
  readonly from: number
  readonly text: string
}

/** Somebody who looks at a session on another device, or has a reply streamed into it there. */
export interface PeerState {
  /** The device, as long as it syncs without a break, in whatever tab. */
  readonly id: string
  readonly user: JsonObject
  readonly isTyping: boolean
  readonly draft?: PeerDraft
}

/** A reply that is being streamed on another device. It goes when it is sealed or dropped there; its entry comes by the log. */
export interface PeerDraft {
  readonly id: string
  readonly role: string
  /** Its text without a hole up to what came last. */
  readonly text: string
  /** How many characters before `text` are not here: whoever comes late, or misses several seconds, sees the reply from there on. 0 when all of it is. */
  readonly from: number
}

/** Seals what a device tells of a session before it goes out, and opens what others tell. */
export interface PresenceCodec {
  /** @param id - the part of the document's name that stands for the session, to be bound to */
  write(state: PresenceState, id: string): JsonValue | Promise<JsonValue>
  /** What is none of ours is `undefined`, or anything else that is no state. */
  read(content: unknown, id: string): unknown
}
