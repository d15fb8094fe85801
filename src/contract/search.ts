import type {
  FailedMessage,
  OpenMessage,
  PingMessage,
  PongMessage,
  ReadyMessage,
  WireError,
} from './worker-protocol.ts'

/** Which messages are searched, and how many hits are returned. */
export interface SearchFilter {
  /** Only this session (its key). */
  readonly sessionKey?: string
  readonly agentId?: string
  readonly userId?: string
  /** Written at this time or later, in milliseconds since 1970. */
  readonly from?: number
  /** Written before this time, in milliseconds since 1970. */
  readonly to?: number
  readonly role?: string
  /** 1 to 1,000, default 20. */
  readonly limit?: number
  /** How many of the best hits to skip, 0 to 100,000, default 0. */
  readonly offset?: number
  /** Whether words may be misspelt: by one letter from four letters on, by two from eight on. Default false. */
  readonly typos?: boolean
}

/** A part of a message's text around the matches. */
export interface SearchSnippet {
  /** One line; `…` marks omitted text. */
  readonly text: string
  /** The matches as `[start, end)` in UTF-16 units of `text`; ascending, without overlap. */
  readonly matches: readonly (readonly [start: number, end: number])[]
}

/** A message that was found. */
export interface SearchHit {
  /** Key of its session. */
  readonly key: string
  /** The session's title; `''` when it has none. */
  readonly title: string
  /** Id of the entry. */
  readonly id: string
  /**
   * The branch that it was written to, and its position: together they name the entry (`session.edit`,
   * `session.remove`, `session.branches.before`).
   */
  readonly branch: string
  readonly order: string
  /**
   * A line that shows it: the head if possible. `session.page({ branch: line, before: order })` returns the entries
   * before it on that line.
   */
  readonly line: string
  /** Whether that line is the head: then no branch needs to be switched to. */
  readonly isOnHead: boolean
  /** Author's wall clock in milliseconds since 1970. */
  readonly at: number
  readonly role: string
  /** Host library's message id, when there is one. */
  readonly mid?: string
  readonly snippet: SearchSnippet
  /** How well it matches (BM25). Only comparable within one search. */
  readonly score: number
}

/** How far the index is with the sessions that it has to read before a search can be answered. */
export interface SearchProgress {
  /** Sessions that were read. */
  readonly indexed: number
  /** All sessions that have to be read, including those that were. */
  readonly total: number
}

/** Versions of sessions that the caller knows of: the search must cover these or later ones. */
export type KnownVersions = readonly (readonly [key: string, version: number, session: number])[]

/** One search, as it is sent to the owner of the index. */
export interface SearchRequest {
  readonly query: string
  readonly filter: SearchFilter
  readonly known: KnownVersions
}

/** The first message to a search worker, with a `MessagePort` for all other messages. */
export type OpenSearchMessage = Pick<OpenMessage, 'protocol' | 'name' | 'blockedAfterMs' | 'encryption' | 'bucket'> & {
  readonly keepsession: 'open-search'
}

/** Messages of a page to a search worker. */
export type SearchCommand =
  | OpenSearchMessage
  | PingMessage
  | { readonly keepsession: 'search'; readonly id: number; readonly request: SearchRequest }
  /** Changes may have been missed: the index is to be compared with the store. */
  | { readonly keepsession: 'recheck' }
  | { readonly keepsession: 'close' }

/**
 * Messages of a search worker: `ready` or `failed`, then for each search `indexing` while it has to wait, and `hits` or
 * `error`.
 */
export type SearchReply =
  | ReadyMessage
  | FailedMessage
  | PongMessage
  | { readonly keepsession: 'indexing'; readonly id: number; readonly progress: SearchProgress }
  | { readonly keepsession: 'hits'; readonly id: number; readonly hits: readonly SearchHit[] }
  | { readonly keepsession: 'error'; readonly id: number; readonly error: WireError }
  | { readonly keepsession: 'closed' }
