import { SessionError } from '../../contract/errors.ts'
import type { JsonValue } from '../../contract/json.ts'
import type { HotRow } from '../../contract/rows.ts'
import type { WriteOptions } from '../../contract/store.ts'
import { knownVector } from '../../domain/arrive.ts'
import { orderEnd } from '../../domain/order.ts'
import { checkDurability, operationOf } from './input.ts'
import type { Plan } from './plan.ts'
import { dropHandle, planControl } from './plan.ts'
import type { Mutation } from './session-writer.ts'

/** @throws SessionNotFound when there is no session, or it is deleted */
export function refuseMissing(rows: { readonly hot: HotRow }, key: string): void {
  if (rows.hot.entries === 0) throw new SessionError('SessionNotFound', `There is no session "${key}". An append creates it.`)
  refuseDeleted(rows, key)
}

/** @throws SessionNotFound when the session is deleted */
export function refuseDeleted(rows: { readonly hot: HotRow }, key: string): void {
  if (rows.hot.deletedAt !== undefined) throw new SessionError('SessionNotFound', `Session "${key}" was deleted. undelete() brings it back; an append by key starts it afresh.`)
}

/** Starts a deleted session afresh: what was there stays hidden, and its metadata is unset. */
export function restartDeleted(plan: Plan): void {
  const { work } = plan
  if (work.hot.deletedAt === undefined) return
  const vv = knownVector(work)
  // Also when the head is main: a branch that was opened elsewhere before, and comes late, must not become the head.
  planControl(plan, 'head', { branch: '' }, '')
  for (const branch of Object.keys(work.cold.branches)) planControl(plan, 'meta', { target: { branch }, set: { deleted: true } }, '')
  for (const checkpoint of Object.keys(work.cold.checkpoints)) planControl(plan, 'meta', { target: { checkpoint }, set: { deleted: true } }, '')
  planControl(plan, 'cut', { order: orderEnd, vv }, '')
  const unset = Object.fromEntries(Object.keys(work.cold.fields).filter((field) => field !== 'aliases').map((field) => [field, null]))
  planControl(plan, 'meta', { set: { ...unset, restartedAt: plan.now } }, '')
  planControl(plan, 'undelete', {}, '')
  work.hot.restarted = plan.base.hot.version + 1
  dropHandle(plan)
}

export function deleteMutation(options?: WriteOptions): Mutation<undefined, void> {
  return {
    durability: checkDurability(options) ?? 'strict',
    operation: operationOf(options, 'delete', [] as JsonValue),
    plan: (plan) => {
      const { hot } = plan.work
      if (hot.entries === 0) refuseMissing(plan.work, hot.key)
      if (hot.deletedAt !== undefined) return
      planControl(plan, 'delete', { vv: knownVector(plan.work) }, '')
      dropHandle(plan)
    },
  }
}

export function undeleteMutation(options?: WriteOptions): Mutation<undefined, void> {
  return {
    durability: checkDurability(options) ?? 'strict',
    operation: operationOf(options, 'undelete', [] as JsonValue),
    plan: (plan) => {
      if (plan.work.hot.entries === 0) refuseMissing(plan.work, plan.work.hot.key)
      if (plan.work.hot.deletedAt !== undefined) planControl(plan, 'undelete', {}, '')
    },
  }
}
