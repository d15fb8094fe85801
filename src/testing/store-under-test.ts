import type { SessionStore } from '../contract/store/session-store.ts'

/**
 * What a store may do otherwise than the laws say. The tests that rest on it are skipped with the reason given, and the
 * deviation is tested instead.
 *
 * - `oneHistory`: every key names the one session there is.
 * - `newestOnly`: only the newest 50 messages are kept.
 * - `listSessions`: lists nothing.
 * - `putBlob`: takes no blobs, and says so with StorageUnavailable.
 * - `abandonedDrafts`: a store that is closed leaves its drafts to the others, which make entries of them.
 * - `uncloneable`: is behind a bare port, which refuses values that it can't clone (functions, proxies) before the
 *   store sees it.
 */
export type Deviation = 'oneHistory' | 'newestOnly' | 'listSessions' | 'putBlob' | 'abandonedDrafts' | 'uncloneable'

/** A store on an empty place of its own, and what can be done to that place from outside. */
export interface OpenedStore {
  readonly store: SessionStore
  /** Opens the place again after `store` was closed. Every durable store has it. */
  readonly reopen?: () => Promise<SessionStore>
  /** Opens one more store on the place while others are open, as another tab does. */
  readonly openAnother?: () => Promise<SessionStore>
  /** Makes the first record of a session's main line unreadable, behind the store's back. */
  readonly damage?: (key: string) => Promise<void>
  /** Cleans up when the test is over and all its stores are closed. */
  readonly dispose?: () => Promise<void>
}

/** A kind of store to put under the laws. */
export interface StoreUnderTest {
  readonly name: string
  /** Whether anything survives `close`, or why not. */
  readonly durable: true | string
  /** Opens a store on a place that is empty and that no other one shares. */
  readonly open: () => Promise<OpenedStore>
  /** Each with its reason. */
  readonly deviations?: Readonly<Partial<Record<Deviation, string>>>
}
