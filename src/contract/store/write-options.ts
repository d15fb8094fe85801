import type { VersionVector } from '../entry.ts'
import type { TermOptions } from '../term.ts'

/** `strict` survives power loss. `relaxed` survives the death of the tab, the worker and the browser. */
export type Durability = 'strict' | 'relaxed'

/** Options that every write takes. */
export interface WriteOptions extends TermOptions {
  /**
   * Makes the call safe to repeat. The same id with the same content changes nothing and returns the first result;
   * with other content the call rejects with OperationConflict.
   *
   * A session remembers its newest 1,024 operations, each as long as the content it made exists. After a delete, a
   * purge, a restart of the session or the emptying of its line, the call is done again. An undelete restores the
   * memory.
   */
  readonly operationId?: string
  /** Default: `strict` where a user's message or a finished turn is at stake, otherwise `relaxed`. */
  readonly durability?: Durability
}

/** How a method that exchanges logs finds the session. */
export interface KeyOptions {
  /**
   * True when the text is a key: the log stored under it is meant, even where the name resolves to another session
   * (L19). Default false: the text is a name.
   */
  readonly isKey?: boolean
}

/** Which of the sessions that had a key one after the other is meant. For sync. */
export interface HavingOptions {
  /**
   * What the session had when its caller looked. If it does not have that any more, because it was erased and perhaps
   * begun anew under its key, the call is refused (ParentMoved) and nothing happens.
   */
  readonly having?: VersionVector
}

/** What a write does with a session that was deleted. */
export interface DeletedOptions {
  /**
   * `restart` starts the session again without its old content (default, L12). `refuse` rejects with SessionNotFound
   * unless a session that is not deleted has this key; this also catches a session that was purged. A handle that has
   * seen the session refuses, so that it never brings back what somebody deleted in the meantime.
   */
  readonly onDeleted?: 'refuse' | 'restart'
}

/** Which of the sessions that had a key one after the other is meant. */
export interface SessionOptions {
  /**
   * The number of the session, as `EntryPage.session` says. When its key has another one by now, or none, the call is
   * refused (SessionNotFound).
   */
  readonly session?: number
}
