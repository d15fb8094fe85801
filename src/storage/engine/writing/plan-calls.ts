import { SessionError } from '../../../contract/errors.ts'
import type { JsonValue } from '../../../contract/json.ts'
import type { OperationRow } from '../../../contract/operation-row.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import { given } from '../../../domain/given.ts'
import type { CalledOperation } from './input.ts'
import type { Pending } from './mutation.ts'
import { madeBy } from './operation-memory.ts'
import type { Plan } from './plan.ts'
import { sizeOfPlan } from './plan.ts'

/**
 * Whether a call must be done in this session although its history moved to another one. Other calls are done there.
 */
export function staysHere({ elsewhere, resolve }: Pending, promotedTo: string): boolean {
  const there = elsewhere?.(promotedTo)
  if (there !== undefined) resolve(there)
  return there === undefined
}

/** A call, and its result once its plan is stored. */
export interface Planned {
  readonly pending: Pending
  readonly result: unknown
}

/** Plans each call. A call that refuses rejects, and leaves nothing in the plan. */
export function planAll(
  begin: () => Plan,
  members: readonly Pending[],
  facts: unknown,
): { readonly plan: Plan; readonly done: readonly Planned[] } {
  const plan = begin()
  const done: Planned[] = []
  for (const [i, pending] of members.entries()) {
    const before = sizeOfPlan(plan)
    const from = plan.rows.length
    try {
      const { operation, keep, about, plan: add } = pending.mutation
      const result = add(plan, facts)
      // A call that finds no session and makes none leaves no memory of itself either.
      if (operation !== undefined && (plan.base.hot.version > 0 || sizeOfPlan(plan) > 0))
        rememberOperation(
          plan,
          operation,
          keep === undefined ? ((result ?? null) as JsonValue) : keep(result),
          about?.(facts),
          from,
          pending.isRedone,
        )
      done.push({ pending, result })
    } catch (error) {
      pending.reject(error)
      // Most calls refuse before they add anything. When one did not, the plan is made again without it.
      if (sizeOfPlan(plan) !== before)
        return planAll(begin, [...done.map((planned) => planned.pending), ...members.slice(i + 1)], facts)
    }
  }
  return { plan, done }
}

/**
 * Adds an operation to a plan.
 *
 * @param about - the entry that it is about, if it did not make it
 * @param from - how many rows the plan had before the operation was planned
 */
export function rememberOperation(
  plan: Plan,
  operation: CalledOperation,
  result: JsonValue,
  about: StoredEntry | undefined,
  from: number,
  isRedone = false,
): void {
  const { id, fingerprint, call } = operation
  plan.operations.push(
    given({
      id,
      fingerprint,
      result,
      n: plan.work.hot.operations + plan.operations.length,
      call: call === id ? undefined : call,
      made: madeBy(about === undefined ? plan.rows.slice(from) : [about]),
      isRedone: isRedone ? (true as const) : undefined,
    }),
  )
}

/** Settles a call that was done before. */
export async function answerAgain(
  { mutation, resolve, reject }: Pending,
  fingerprint: string,
  rows: SessionRows,
  before: OperationRow,
): Promise<void> {
  if (before.fingerprint !== fingerprint) {
    reject(
      new SessionError(
        'OperationConflict',
        `Operation "${before.id}" was stored before with other content. Use a new operationId for a new change.`,
      ),
    )
  } else {
    await (mutation.again?.(rows, before) ?? Promise.resolve(before.result ?? undefined)).then(resolve, reject)
  }
}
