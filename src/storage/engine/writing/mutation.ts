import type { JsonValue } from '../../../contract/json.ts'
import type { OperationRow } from '../../../contract/operation-row.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import type { Durability } from '../../../contract/store/write-options.ts'
import type { TermOptions } from '../../../contract/term.ts'
import type { Writer } from '../../../domain/writer.ts'
import type { CalledOperation } from './input.ts'
import type { Plan } from './plan.ts'

/** One call's change of one session. A mutation with a term has a commit of its own. */
export interface Mutation<Facts, Result> extends TermOptions {
  readonly durability: Durability
  /** Whatever other tabs stored meanwhile, its entries and its result stay as planned. */
  readonly isUnconditional?: boolean
  /** Makes the call safe to repeat. */
  readonly operation?: CalledOperation | undefined
  /** The part of the result that is stored with the operation. Default: all of it. */
  readonly keep?: (result: Result) => JsonValue
  /**
   * The entry that the call is about, if it is one that was there before: the operation is remembered as long as that
   * exists. Default: what the call makes.
   */
  readonly about?: (facts: Facts | undefined) => StoredEntry | undefined
  /** Makes the result again from the stored part. Default: the stored part is the result. */
  readonly again?: (rows: SessionRows, stored: OperationRow) => Promise<Result>
  /** Reads the facts that planning needs. Such a call has a commit of its own. */
  readonly prepare?: (rows: SessionRows, writer: Writer) => Promise<Facts>
  /** Whether `prepare` is needed. Default: always. */
  readonly needs?: (rows: SessionRows, writer: Writer) => boolean
  /** Adds to the plan; throws to refuse. It may run more than once, and changes nothing but the plan. */
  readonly plan: (plan: Plan, facts: Facts | undefined) => Result
}

/** A call that waits to be planned and stored. */
export interface Pending {
  readonly mutation: Mutation<unknown, unknown>
  readonly elsewhere: ((promotedTo: string) => Promise<unknown> | undefined) | undefined
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
  /** When it was called. */
  readonly since: number
  /** Its operation was done before, and its content is gone. */
  readonly isRedone?: boolean
}
