import type { JsonValue } from './json.ts'

/** A write that may be repeated: its content and its result. */
export interface OperationRow {
  readonly id: string
  /** CRC-32 and length of the canonical arguments. */
  readonly fingerprint: string
  /** Its result; entries are stored as positions only, because they can be read again. */
  readonly result: JsonValue
  /** Order of use, for pruning. */
  readonly n: number
  /**
   * The content that it made: the operation is remembered as long as that exists. Absent: it made none, or was stored
   * before this was recorded.
   */
  readonly made?: MadeContent
  /** Which call of a page performed it, if the id does not say so. */
  readonly call?: string
  /** The id was used before, for content that is gone. */
  readonly isRedone?: true
}

/** Position of the first entry of an operation; `branch` only if that is a line entry. */
export interface MadeContent {
  readonly w: number
  readonly s: number
  readonly order: string
  readonly branch?: string
}
