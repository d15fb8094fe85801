import type { JsonObject, JsonValue } from '../../contract/json.ts'

/** What one device publishes to the others about one session. */
export interface PresenceState {
  /**
   * Drawn when the first tab of a device starts to sync. A connection that was lost may be shown for a while alongside
   * the next one: this shows that they are the same device.
   */
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

/** Somebody who looks at a session on another device, or streams a reply into it there. */
export interface PeerState {
  /** Identifies the device as long as it syncs without a break, in whatever tab. */
  readonly id: string
  readonly user: JsonObject
  readonly isTyping: boolean
  readonly draft?: PeerDraft
}

/**
 * A reply that is being streamed on another device. It disappears when it is completed or dropped there; its entry
 * arrives with the log.
 */
export interface PeerDraft {
  readonly id: string
  readonly role: string
  /** Its text without gaps, up to what arrived last. */
  readonly text: string
  /**
   * How many characters before `text` are not here: a device that comes late, or misses several seconds, sees the reply
   * from there on. 0 when the text is complete.
   */
  readonly from: number
}

/** Encrypts what a device publishes about a session, and decrypts what others publish. */
export interface PresenceCodec {
  /** @param id - the part of the document's name that stands for the session; the content is bound to it */
  write(state: PresenceState, id: string): JsonValue | Promise<JsonValue>
  /** Returns `undefined`, or anything that is not a state, for invalid content. */
  read(content: unknown, id: string): unknown
}
