import type { EntryReceipt, EntryRef, VersionVector } from '../entry.ts'
import type { JsonObject } from '../json.ts'
import type { Message } from '../message.ts'
import type { WriteOptions } from './write-options.ts'

export interface CompactionInput {
  /** `''` hides the older part without replacing it (AgentlyMemoSession's pruning). */
  readonly summary: string
  /**
   * Messages that replace the older part, in front of what is kept, in addition to the summary: the result of a resize
   * handler.
   */
  readonly messages?: readonly Message[]
  /** The first entry that stays in the model's context… */
  readonly firstKept?: EntryRef
  /** …or how many of the last context messages stay. */
  readonly keepLast?: number
  /** The line it is for. Default: the head. */
  readonly branch?: string
  /**
   * The entries the summary was made from. Entries before the kept part that it does not cover stay in the context:
   * they arrived while the summary was made. What the active compaction hides stays hidden, even where the kept part
   * begins earlier. Default: everything that is known.
   */
  readonly covers?: VersionVector
  /**
   * The compaction that was active when the summary was made, `null` for none. When another one is active by now, the
   * call is refused (ParentMoved).
   */
  readonly replaces?: string | null
  /**
   * The result of `contextFingerprint` for the previous summary and the entries before the kept part. When the entries
   * that `covers` covers read otherwise by now (cut, removed, edited, purged), or their line is gone, the call is
   * refused (ParentMoved).
   */
  readonly fingerprint?: string
  readonly tokensBefore?: number
  readonly tokensAfter?: number
  readonly details?: JsonObject
}

/** Summaries that replace the older part of a line in a model's context. */
export interface Compactions {
  /**
   * Stores a compaction. @throws ParentMoved (`replaces`, `fingerprint`), InvalidInput. Source: ai-panel and pi
   * compaction entries
   */
  setCompaction(key: string, compaction: CompactionInput, options?: WriteOptions): Promise<EntryReceipt>
}
