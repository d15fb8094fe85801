import { SessionError } from '../../../contract/errors.ts'
import type { JsonValue } from '../../../contract/json.ts'
import type { HotRow } from '../../../contract/rows.ts'
import type { DeleteOptions, LifeOptions } from '../../../contract/store/session-lifecycle.ts'
import { lifeOf } from '../../../domain/deletion.ts'
import { isBranchDeleted } from '../../../domain/line.ts'
import { orderEnd } from '../../../domain/order.ts'
import { isCheckpointDeleted } from '../../../domain/purge.ts'
import { knownVector } from '../../../domain/work.ts'
import { refuseOther } from '../exchange/refuse-other.ts'
import { checkDurability, operationOf } from '../writing/input.ts'
import type { Mutation } from '../writing/mutation.ts'
import type { Plan } from '../writing/plan.ts'
import { dropHandle, planControl } from '../writing/plan.ts'

/** @throws SessionNotFound when there is no session, or it is deleted */
export function refuseMissing(rows: { readonly hot: HotRow }, key: string): void {
  if (rows.hot.entries === 0)
    throw new SessionError('SessionNotFound', `There is no session "${key}". An append creates it.`)
  refuseDeleted(rows, key)
}

/** @throws SessionNotFound when the session is deleted */
export function refuseDeleted(rows: { readonly hot: HotRow }, key: string): void {
  if (rows.hot.deletedAt !== undefined)
    throw new SessionError(
      'SessionNotFound',
      `Session "${key}" was deleted. undelete() brings it back; an append by key starts it afresh.`,
    )
}

/** @throws SessionNotFound when another session is meant (0: none) than the one that has the key */
export function refuseAnother({ hot }: { readonly hot: HotRow }, session: number | undefined): void {
  if (session !== undefined && session !== (hot.entries === 0 ? 0 : hot.session))
    throw new SessionError(
      'SessionNotFound',
      `The session that had the key "${hot.key}" was erased since it was read. Nothing was changed.`,
    )
}

/** Restarts a deleted session: the old entries stay hidden, and its metadata is unset. */
export function restartDeleted(plan: Plan): void {
  const { work } = plan
  if (work.hot.deletedAt === undefined) return
  const vv = knownVector(work)
  // This is needed even when the head is main: a branch that another device opened before, and that arrives late, must
  // not become the head.
  planControl(plan, 'head', { branch: '' }, '')
  // One entry for all of them, however many there are.
  const { branches, checkpoints } = work.cold
  const target = {
    branches: Object.keys(branches).filter((id) => !isBranchDeleted(work.cold, id)),
    checkpoints: Object.keys(checkpoints).filter((id) => !isCheckpointDeleted(work.cold, id)),
  }
  if (target.branches.length + target.checkpoints.length > 0)
    planControl(plan, 'meta', { target, set: { deleted: true } }, '')
  if (typeof work.cold.targets['branch:']?.['name']?.[1] === 'string')
    planControl(plan, 'meta', { target: { branch: '' }, set: { name: null } }, '')
  planControl(plan, 'cut', { order: orderEnd, vv, clears: true }, '')
  const unset = Object.fromEntries(
    Object.keys(work.cold.fields)
      .filter((field) => field !== 'aliases')
      .map((field) => [field, null]),
  )
  planControl(plan, 'meta', { set: { ...unset, restartedAt: plan.now } }, '')
  planUndelete(plan)
  work.hot.restarted = plan.base.hot.version + 1
  dropHandle(plan)
}

export function deleteMutation(options?: DeleteOptions): Mutation<undefined, void> {
  const life = checkLife(options)
  const kept = options?.kept === true
  return {
    durability: checkDurability(options) ?? 'strict',
    operation: operationOf(options, 'delete', [] as JsonValue),
    plan: (plan) => {
      const { hot } = plan.work
      refuseOther(plan, options)
      if (hot.entries === 0) refuseMissing(plan.work, hot.key)
      // A restore in the meantime was made in knowledge of that purge.
      if (kept && options?.life !== undefined && life < (hot.life ?? 0)) return
      const isNews = (kept && hot.kept === undefined) || life > (hot.life ?? 0)
      if (hot.deletedAt !== undefined && !isNews) return
      planControl(
        plan,
        'delete',
        { vv: knownVector(plan.work), ...lifeData(Math.max(life, hot.life ?? 0)), ...(kept ? { kept } : {}) },
        '',
      )
      dropHandle(plan)
    },
  }
}

export function undeleteMutation(options?: LifeOptions): Mutation<undefined, void> {
  const life = checkLife(options)
  return {
    durability: checkDurability(options) ?? 'strict',
    operation: operationOf(options, 'undelete', [] as JsonValue),
    plan: (plan) => {
      const { hot } = plan.work
      refuseOther(plan, options)
      if (hot.entries === 0) refuseMissing(plan.work, hot.key)
      if (hot.deletedAt !== undefined || life > (hot.life ?? 0)) planUndelete(plan, life)
    },
  }
}

/** Whoever restores a session that was purged elsewhere knows of the purge, which concerns the life before. */
function planUndelete(plan: Plan, life = 0): void {
  const { hot, cold } = plan.work
  planControl(plan, 'undelete', lifeData(Math.max(life, lifeOf(cold) + (hot.kept === undefined ? 0 : 1))), '')
}

/** The first life, in which most sessions are, is not written down. */
function lifeData(life: number): { readonly life?: number } {
  return life === 0 ? {} : { life }
}

function checkLife(options: LifeOptions | undefined): number {
  const life: unknown = options?.life === undefined ? 0 : options.life
  if (Number.isSafeInteger(life) && (life as number) >= 0) return life as number
  throw new SessionError(
    'InvalidInput',
    `life must be a whole number of at least 0, from the session's metadata, got ${String(life)}.`,
  )
}
