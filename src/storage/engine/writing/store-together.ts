import type { CoreBackend } from '../../../contract/backend.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import type { Durability } from '../../../contract/store/write-options.ts'
import type { TermOptions } from '../../../contract/term.ts'
import { emptyRows } from '../../../domain/empty-rows.ts'
import { settlePlan } from '../upkeep/review-rows.ts'
import { finishPlan } from './finish-plan.ts'
import { attemptLimit, lostRace, pauseBefore } from './lost-race.ts'
import type { OperationLookup } from './operation-lookup.ts'
import { beginPlan, type Plan } from './plan.ts'

export interface TogetherParts {
  readonly backend: CoreBackend
  readonly lookup: Pick<OperationLookup, 'remember'>
  readonly now: () => number
  readonly randomInteger: () => number
  /** Runs a task while no call of the session runs. */
  readonly alone: (key: string, task: () => Promise<void>) => Promise<void>
  /** Forgets the rows of a session that are cached. */
  readonly drop: (key: string) => void
  readonly onCommit: (plan: Plan, rows: SessionRows, durability: Durability) => void
}

/**
 * Changes several sessions in one transaction, after the calls that are queued for any of them.
 *
 * @param draw - makes the plans; called again when another tab wrote first. Nothing is stored when it returns
 * `undefined`
 * @returns whether anything was stored
 */
export type StoreTogether = (
  keys: readonly string[],
  durability: Durability,
  draw: (begin: (key: string) => Promise<Plan>) => Promise<readonly Plan[] | undefined>,
  fence?: TermOptions,
) => Promise<boolean>

export function createTogetherStore({
  backend,
  lookup,
  now,
  randomInteger,
  alone,
  drop,
  onCommit,
}: TogetherParts): StoreTogether {
  const begin = async (key: string): Promise<Plan> =>
    beginPlan((await backend.loadSession(key)) ?? emptyRows(key, randomInteger()), { w: randomInteger() }, now())

  return async (keys, durability, draw, fence = {}) => {
    // All callers take the sessions in the same order, so that no two wait for each other.
    const sorted = [...keys].sort()
    const store = async (): Promise<boolean> => {
      for (let round = 0; round < attemptLimit; round++) {
        await pauseBefore(round, randomInteger)
        const plans = await draw(begin)
        if (plans === undefined) return false
        for (const plan of plans) await settlePlan(backend, plan)
        const finished = plans.map((plan) => ({ plan, ...finishPlan(plan) }))
        const outcome = await backend.commit(
          { sessions: finished.map(({ write }) => ({ ...write, ...fence })), erase: [] },
          durability,
        )
        if (!outcome.stored) continue
        // Whoever reads a session because of the news must not get what it was before.
        for (const key of sorted) drop(key)
        for (const { plan, rows } of finished) {
          for (const { id } of plan.operations) lookup.remember(id)
          onCommit(plan, rows, durability)
        }
        return true
      }
      throw lostRace(sorted[0]!)
    }
    let isStored = false
    const from = async (i: number): Promise<void> => {
      if (i < sorted.length) await alone(sorted[i]!, () => from(i + 1))
      else isStored = await store()
    }
    await from(0)
    return isStored
  }
}
