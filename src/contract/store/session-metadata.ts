import type { JsonObject } from '../json.ts'
import type { MetaPatch, SessionListing, SessionMeta } from '../meta.ts'
import type { SessionScope } from '../scope.ts'
import type { SessionOptions, WriteOptions } from './write-options.ts'

export interface MetaOptions extends WriteOptions, SessionOptions {
  /**
   * The values the patch was computed from. When a field reads otherwise by now, the patch is refused (ParentMoved).
   */
  readonly previous?: { readonly memo?: JsonObject; readonly custom?: JsonObject; readonly contextState?: JsonObject }
}

export interface ListQuery {
  readonly agentId?: string
  readonly userId?: string
  /** Default: both. */
  readonly archived?: boolean
  /** Only sessions whose title contains this text, ignoring case. */
  readonly title?: string
  /** Default false. `true` lists only deleted sessions: the trash. */
  readonly deleted?: boolean
  /** 1 to 10,000, default 50. */
  readonly limit?: number
  /** `next` of the previous page. */
  readonly cursor?: string
  /** Default `updated`: newest first. `created`: newest first. `title`: A to Z. */
  readonly order?: 'updated' | 'created' | 'title'
  /**
   * Whether the list is read from storage, so that it includes what another tab stored before the call. Default false:
   * the list comes from memory, where changes of other tabs arrive a moment later. Use it before you create a session
   * only because there is none.
   */
  readonly fresh?: boolean
}

export interface SessionPage {
  readonly sessions: readonly SessionListing[]
  /** Cursor of the next page; absent on the last. */
  readonly next?: string
  /** How many sessions match in all. */
  readonly total: number
}

export interface EnsureMetadataResult {
  readonly key: string
  /** Aliases that another session owns already; they appear in this session's own list only. */
  readonly conflicts: readonly string[]
  /** The alias whose session's history and summary became this session's (L20). */
  readonly promoted?: string
}

/**
 * What is known of each session besides its log, and the names it is found by.
 *
 * - L6 *Aliases.* An alias is accepted wherever a key is; an unknown alias is a key.
 * - L18 *Lists* hold metadata only, newest first, in pages that neither skip nor repeat a session that does not change
 *   meanwhile.
 * - L19 *Alias resolution never chains.* A text names the session of that very key, unless the history of that session
 *   was promoted (L20), or the text holds `:`, `/` or `\` and another session owns it as an alias; otherwise the
 *   session that owns it as an alias, ignoring white space around it; otherwise, for `agent:<id>:main`, the main
 *   session of that agent (its opaque key), whether it exists or not; otherwise the session that is still to be created
 *   under it. A blank text names none. An alias has one owner, and the first one keeps it: it stays in the lists of
 *   other sessions, which own it only once its owner has given it up or was purged and they are ensured again. A
 *   deleted session keeps its aliases. `merge` registers aliases in the same way; where two devices gave one alias to
 *   different sessions, it belongs on both to the session that had it first by the clocks of their logs, once those
 *   were merged as keys (`isKey`). Names of main sessions are in the lists of all sessions of an agent, have no owner
 *   and are in no conflict. Source: PicoClaw, except for the last rule.
 * - L20 *Promotion.* When `ensureSessionMetadata` creates a session that never existed, the session receives the log,
 *   the summary, the drafts and the aliases of the first session whose key is among the aliases, whose key no other
 *   session owns as an alias, and that shows messages to a model or has a summary; names of main sessions do not count.
 *   This happens completely or not at all, leaves entries as they are, and happens once: the old session stays in
 *   lists, with `promotedTo`, and is reachable again when the new one gives up its key as an alias or is purged.
 *   Source: PicoClaw. `merge` of keys (`isKey`) does the same for a session that exists: when its entries give it the
 *   key of a log as an alias, and when entries arrive for a log whose key it has as an alias, it receives the part of
 *   that log it lacks, and the entries of that log show all devices where it continued. Where two devices promoted one
 *   log to two sessions, its name belongs to the later one, and both have all of it.
 */
export interface SessionMetadata {
  getMeta(key: string): Promise<SessionMeta | undefined>
  /**
   * Changes metadata. Fields that are not named stay.
   *
   * @throws AliasConflict when an alias that is new to the list belongs to another session; ParentMoved (`previous`);
   *   SessionNotFound (`session`)
   */
  updateMeta(key: string, patch: MetaPatch, options?: MetaOptions): Promise<SessionMeta>
  /** Lists one page of sessions. */
  listSessions(query?: ListQuery): Promise<SessionPage>
  /** The key that a text stands for (L19). */
  resolveSessionKey(keyOrAlias: string): Promise<string>
  /**
   * Adds aliases, sets the scope and keeps everything else; an absent scope stays. Creates the session, from an older
   * one where possible (L20). Never rejects because another session owns an alias (L19). Source: PicoClaw
   */
  ensureSessionMetadata(
    key: string,
    scope?: SessionScope,
    aliases?: readonly string[],
    options?: WriteOptions,
  ): Promise<EnsureMetadataResult>
  /** A copy of the scope. */
  getSessionScope(keyOrAlias: string): Promise<SessionScope | undefined>
}
