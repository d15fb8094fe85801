import type { Reclaimable } from '../reclaimable.ts'
import type { TermOptions } from '../term.ts'
import type { CollectionUsage } from './collections.ts'
import type { VerifyProblem } from './verify-problem.ts'

/** What power loss would take. */
export interface UnflushedWrites {
  /**
   * How many commits. What other tabs or an earlier worker stored before this store was opened counts as one, because
   * the number is unknown.
   */
  readonly commits: number
  /** When the first of them was stored, in milliseconds since 1970. */
  readonly since: number
}

export interface VerifyReport {
  readonly sessions: number
  readonly entries: number
  /** The first 1,000 problems. */
  readonly problems: readonly VerifyProblem[]
  /** How many more there are. Absent: none. */
  readonly unlisted?: number
}

export interface RepairReport extends VerifyReport {
  /** Problems that were repaired (bad records set aside, metadata rows rebuilt from the log). */
  readonly repaired: number
}

export interface UsageOptions {
  /** How many sessions `largest` lists; `Infinity` for all. Default 20. */
  readonly largest?: number | undefined
}

/** `aside`: what `repair` moved out of the way. `mirror`: files outside of the database. */
export type StoredKind = 'entries' | 'bodies' | 'blobs' | 'drafts' | 'operations' | 'aside' | 'mirror'

export interface KindUsage {
  readonly count?: number
  readonly bytes?: number
}

/** What one session takes. */
export interface SessionUsage {
  readonly key: string
  readonly title: string
  /** Canonical JSON bytes of its entries. */
  readonly bytes: number
  readonly entries: number
  readonly updatedAt: number
  readonly archived: boolean
  readonly tags: readonly string[]
  readonly deletedAt?: number
}

export interface UsageReport {
  readonly sessions: number
  readonly entries: number
  /** Canonical JSON bytes of entries (of one session when a key was given). */
  readonly entryBytes: number
  readonly blobBytes: number
  readonly draftBytes: number
  /**
   * The same and the rest by kind, as far as the backend knows them without reading everything. Large bodies count as
   * bytes of entries.
   */
  readonly kinds: Readonly<Partial<Record<StoredKind, KindUsage>>>
  /** The sessions that take most, including deleted ones, largest first. */
  readonly largest: readonly SessionUsage[]
  /** What each collection takes; none when a key was given. */
  readonly collections: readonly CollectionUsage[]
  /** Keys of sessions whose row can't be read, nor rebuilt. */
  readonly unreadable: readonly string[]
  readonly reclaimable: Reclaimable
  /** The browser's own figures for the whole origin, where it provides them. */
  readonly originBytes?: number
  readonly quotaBytes?: number
}

/**
 * Checks, repairs, space and durability.
 *
 * - L13 *One bad record never costs the session*: it is skipped, counted and reported.
 */
export interface Upkeep {
  /**
   * Checks every stored record of one session, or of all and of all collections, in bounded memory. With progress and cancellation:
   * `upkeep.verify` of a client.
   */
  verify(key?: string): Promise<VerifyReport>
  /**
   * Sets unreadable records aside, rebuilds metadata rows from the log, and restores blobs of which the mirror has a
   * copy, each in a small transaction. An interrupted repair resumes with the next one. With progress and cancellation:
   * `upkeep.repair` of a client.
   */
  repair(key?: string): Promise<RepairReport>
  /**
   * Erases entries that no line and no checkpoint shows, edits of those and edits that later ones replaced, checkpoints
   * that were deleted, summaries of lines that were cleared, metadata that was replaced, and blobs that nothing names;
   * returns how many entries were erased. With progress and cancellation: `upkeep.reclaim` of a client.
   */
  reclaim(key: string, options?: TermOptions): Promise<number>
  /**
   * What is stored, and where most of it is. Counted from the rows of the sessions: no content is read. @throws
   * InvalidInput for a bad `largest`
   */
  usage(key?: string, options?: UsageOptions): Promise<UsageReport>
  /**
   * Resolves once everything that was acknowledged before the call, in this tab or reported by others, survives power
   * loss: by one strict commit where something does not yet, at no cost otherwise. In memory and in Web Storage it
   * resolves and promises nothing: memory does not last, and the browser writes Web Storage whenever it likes.
   */
  flush(): Promise<void>
  /**
   * What {@link flush} would make durable; `undefined` when there is nothing, or the backend promises nothing anyway.
   */
  unflushed(): Promise<UnflushedWrites | undefined>
}
