import type {
  FailedMessage,
  OpenMessage,
  PingMessage,
  PongMessage,
  ReadyMessage,
  WireError,
} from './worker-protocol.ts'

/** Which messages a search is about, and how many of those found it gives. */
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
  /** How many of the best to pass over, 0 to 100,000, default 0. */
  readonly offset?: number
  /** Whether words may be misspelt: by one letter from four letters on, by two from eight. Default false. */
  readonly typos?: boolean
}

/** A part of a message's text around what was found. */
export interface SearchSnippet {
  /** One line; `…` where the message goes on. */
  readonly text: string
  /** What was found, as `[start, end)` in UTF-16 units of `text`; ascending, none overlap. */
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
   * The branch it was written to, and where it stands: together they name the entry (`edit`, `remove`, `branchBefore`).
   */
  readonly branch: string
  readonly order: string
  /**
   * A line that shows it: the head when that does. `read(key, { branch: line, before: order })` gives what comes before
   * it there.
   */
  readonly line: string
  /** Whether that is the head: then it is among what is on the screen, and no branch needs to be switched to. */
  readonly isOnHead: boolean
  /** Author's wall clock in milliseconds since 1970. */
  readonly at: number
  readonly role: string
  /** Host library's message id, when there is one. */
  readonly mid?: string
  readonly snippet: SearchSnippet
  /** How well it fits (BM25). Compares hits of one search only. */
  readonly score: number
}

/** How far the index is with what it has to read before a search can be answered. */
export interface SearchProgress {
  /** Sessions that are read. */
  readonly indexed: number
  /** Sessions that are, or were, to be read. */
  readonly total: number
}

/** Versions of sessions that the asker knows of: they must be searched at these or later ones. */
export type KnownVersions = readonly (readonly [key: string, version: number])[]

/** One search, as it goes to whoever has the index. */
export interface SearchRequest {
  readonly query: string
  readonly filter: SearchFilter
  readonly known: KnownVersions
}

/** The first message to a search worker, with a `MessagePort` over which all else goes. */
export type OpenSearchMessage = Pick<OpenMessage, 'protocol' | 'name' | 'blockedAfterMs' | 'encryption' | 'bucket'> & {
  readonly keepsession: 'open-search'
}

/** What a page says to a search worker. */
export type SearchCommand =
  | OpenSearchMessage
  | PingMessage
  | { readonly keepsession: 'search'; readonly id: number; readonly request: SearchRequest }
  /** Changes may have been missed: what is indexed is to be compared with what is stored. */
  | { readonly keepsession: 'recheck' }
  | { readonly keepsession: 'close' }

/**
 * What a search worker answers: `ready` or `failed`, then for each search `indexing` while it has to wait, and `hits`
 * or `error`.
 */
export type SearchReply =
  | ReadyMessage
  | FailedMessage
  | PongMessage
  | { readonly keepsession: 'indexing'; readonly id: number; readonly progress: SearchProgress }
  | { readonly keepsession: 'hits'; readonly id: number; readonly hits: readonly SearchHit[] }
  | { readonly keepsession: 'error'; readonly id: number; readonly error: WireError }
  | { readonly keepsession: 'closed' }
