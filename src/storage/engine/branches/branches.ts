import type { CoreBackend } from '../../../contract/backend.ts'
import type { Fork } from '../../../contract/entry.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { BranchInfo, CheckpointInfo } from '../../../contract/meta.ts'
import type { CheckpointRow, SessionRows, StoredEntry } from '../../../contract/rows.ts'
import type { BranchOptions } from '../../../contract/store/session-branches.ts'
import type { CheckpointOptions } from '../../../contract/store/session-checkpoints.ts'
import type { WriteOptions } from '../../../contract/store/write-options.ts'
import { entryId } from '../../../domain/address.ts'
import { given } from '../../../domain/given.ts'
import { isBranchDeleted, lineOf, segmentOf } from '../../../domain/line.ts'
import { isCheckpointDeleted } from '../../../domain/purge.ts'
import { pushAll } from '../../../domain/push-all.ts'
import { createSeenCounter } from '../../../domain/seen-messages.ts'
import { knownVector } from '../../../domain/work.ts'
import { refuseDeleted, refuseMissing } from '../lifecycle/lifecycle.ts'
import { branchInfo, checkpointInfo } from '../metadata/stored-meta.ts'
import { openLine } from '../reading/open-line.ts'
import { type CountedLine, countSeen } from '../reading/seen-reader.ts'
import { readRow } from '../reading/session-reader.ts'
import { checkBranch } from '../writing/append.ts'
import { checkDurability, checkObject, operationOf } from '../writing/input.ts'
import type { Mutation } from '../writing/mutation.ts'
import { planFork } from '../writing/open-fork.ts'
import type { Plan } from '../writing/plan.ts'
import { dropHandle, planControl } from '../writing/plan.ts'
import { refuseChanged } from './check-checkpoint.ts'
import { readState } from './checkpoint-entry.ts'

export function openBranchMutation(
  backend: CoreBackend,
  options: BranchOptions,
): Mutation<StoredEntry | undefined, BranchInfo> {
  const { after, head = true } = options
  const line = checkBranch(options.line, 'line')
  const name = checkName(options.name ?? null)
  const place = after === 'start' ? undefined : checkPlace(after)
  return {
    durability: checkDurability(options) ?? 'relaxed',
    operation: operationOf(options, 'openBranch', [(place ?? 'start') as JsonValue, name, head]),
    prepare: async (rows) => {
      refuseMissing(rows, rows.hot.key)
      return place === undefined ? undefined : readRow(backend, rows, place.branch, place.order)
    },
    plan: (plan, row) => {
      if (place !== undefined && row === undefined)
        throw new SessionError(
          'InvalidInput',
          `Session "${plan.work.hot.key}" has no entry at ${JSON.stringify(place)} to branch after. Pass an entry that read() gave, or "start".`,
        )
      const continued = line === undefined ? undefined : openLine(plan.work.cold, line, plan.work.hot.key)
      if (continued !== undefined && row !== undefined && segmentOf(continued, row) < 0)
        throw new SessionError(
          'InvalidInput',
          `The line of branch "${line}" has no entry at ${JSON.stringify(place)} to branch after. Pass a branch whose line has it, or leave \`line\` out.`,
        )
      return openBranch(plan, planFork(plan, row, continued), head, name ?? undefined, row)
    },
  }
}

function openBranch(
  plan: Plan,
  fork: Fork,
  head: boolean,
  name: string | undefined,
  row: StoredEntry | undefined,
): BranchInfo {
  const opener = planControl(plan, 'branch', given({ fork: { ...fork }, head, name }), fork.branch, row)
  if (head) dropHandle(plan)
  const id = entryId(opener.w, opener.s)
  return structuredClone(branchInfo(plan.work, id, plan.work.cold.branches[id]!))
}

export function updateBranchMutation(
  branch: string,
  patch: { readonly name: string | null },
  options?: WriteOptions,
): Mutation<undefined, void> {
  const name = checkName(patch?.name)
  return branchMutation('updateBranch', branch, [name], options, (plan) => {
    planControl(plan, 'meta', { target: { branch }, set: { name } }, '')
  })
}

export function deleteBranchMutation(branch: string, options?: WriteOptions): Mutation<undefined, void> {
  return branchMutation('deleteBranch', branch, [], options, (plan) => {
    if (branch === '')
      throw new SessionError(
        'InvalidInput',
        "The main line can't be deleted. Delete the session, or switch to another branch.",
      )
    const { hot, cold } = plan.work
    let parent = cold.branches[branch]!.fork.branch
    while (parent !== '' && isBranchDeleted(cold, parent)) parent = cold.branches[parent]?.fork.branch ?? ''
    if (hot.head === branch) planControl(plan, 'head', { branch: parent }, '')
    planControl(plan, 'meta', { target: { branch }, set: { deleted: true } }, '')
    dropHandle(plan)
  })
}

export function switchBranchMutation(branch: string, options?: WriteOptions): Mutation<undefined, void> {
  return branchMutation('switchBranch', branch, [], options, (plan) => {
    if (plan.work.hot.head !== branch) planControl(plan, 'head', { branch }, '')
    dropHandle(plan)
  })
}

function branchMutation(
  method: string,
  branch: string,
  args: readonly JsonValue[],
  options: WriteOptions | undefined,
  change: (plan: Plan) => void,
): Mutation<undefined, void> {
  if (typeof branch !== 'string')
    throw new SessionError('InvalidInput', 'branch must be the id of a branch, or "" for main.')
  return {
    durability: checkDurability(options) ?? 'relaxed',
    operation: operationOf(options, method, [branch, ...args]),
    plan: (plan) => {
      refuseMissing(plan.work, plan.work.hot.key)
      openLine(plan.work.cold, branch, plan.work.hot.key)
      change(plan)
    },
  }
}

/** Saves the head line's position and what is known of it. Source: Aixgo's checkpoints. */
export function checkpointMutation(
  backend: CoreBackend,
  options: CheckpointOptions = {},
): Mutation<CountedLine | undefined, CheckpointInfo> {
  const { label, metadata, state } = options
  const value = checkObject({ label, metadata, state }, 'checkpoint')
  checkName(value['label'] ?? null)
  for (const part of ['metadata', 'state'])
    if (value[part] !== undefined) checkObject(value[part], `checkpoint.${part}`)
  return {
    durability: checkDurability(options) ?? 'strict',
    operation: operationOf(options, 'checkpoint', value),
    // A repeated call has the same metadata.
    keep: ({ metadata: _, ...info }) => info as unknown as JsonValue,
    again: async (_, { result }) =>
      given({ ...(result as unknown as CheckpointInfo), metadata: value['metadata'] as JsonObject | undefined }),
    // It has a commit of its own, because earlier changes in the same commit may change the line, and then it is
    // unknown what was seen of it.
    needs: ({ hot }) => hot.version > 0,
    prepare: async (rows) =>
      rows.hot.seen !== undefined || rows.hot.deletedAt !== undefined
        ? undefined
        : countSeen(backend, rows, lineOf(rows.cold, rows.hot.head)!),
    plan: (plan, counted) => {
      const { hot, cold } = plan.work
      const refuse = options.onDeleted === 'refuse' ? refuseMissing : refuseDeleted
      refuse(plan.work, hot.key)
      if (counted !== undefined) pushAll(plan.work.seenMarks, counted.marks)
      const known = hot.seen ?? counted?.seen
      if (known !== undefined) hot.seen = known
      const vv = knownVector(plan.work)
      const seen = known && createSeenCounter(known).total(vv, cold)
      const entry = planControl(
        plan,
        'checkpoint',
        { ...value, branch: hot.head, order: hot.lineEnd, vv, ...(seen && { seen: { ...seen } }) },
        hot.head,
      )
      const id = entryId(entry.w, entry.s)
      const row = plan.work.cold.checkpoints[id]!
      return structuredClone(checkpointInfo(id, row, value['metadata'] as JsonObject | undefined))
    },
  }
}

interface RestoreFacts {
  readonly target: StoredEntry | undefined
  readonly counted: CountedLine | undefined
  readonly state: JsonObject | undefined
}

/** Opens a branch that shows the line as the checkpoint saw it. */
export function restoreMutation(
  backend: CoreBackend,
  checkpoint: string,
  options?: WriteOptions,
): Mutation<RestoreFacts, { readonly branch: BranchInfo; readonly state?: JsonObject }> {
  return {
    durability: checkDurability(options) ?? 'strict',
    operation: operationOf(options, 'restoreCheckpoint', [checkpoint]),
    keep: ({ branch }) => ({ branch }) as unknown as JsonValue,
    again: async (rows, { result }) => {
      const { branch } = result as unknown as { readonly branch: BranchInfo }
      return given({ branch, state: await readState(backend, rows, checkpoint) })
    },
    prepare: async (rows) => {
      refuseMissing(rows, rows.hot.key)
      const row = liveCheckpoint(rows, checkpoint)
      const counted = await refuseChanged(backend, rows, checkpoint, row)
      const target = await readRow(backend, rows, row.branch, row.order)
      return { counted, target, state: await readState(backend, rows, checkpoint) }
    },
    plan: (plan, facts) => {
      const row = liveCheckpoint(plan.work, checkpoint)
      const fork: Fork = { branch: row.branch, order: row.order, vv: row.vv, cuts: row.clock }
      const branch = openBranch(plan, fork, true, row.label, facts?.target)
      // The new branch has exactly what was counted.
      if (facts?.counted !== undefined) plan.work.hot.seen = facts.counted.seen
      return given({ branch, state: structuredClone(facts?.state) })
    },
  }
}

export function deleteCheckpointMutation(checkpoint: string, options?: WriteOptions): Mutation<undefined, void> {
  return {
    durability: checkDurability(options) ?? 'relaxed',
    operation: operationOf(options, 'deleteCheckpoint', [checkpoint]),
    plan: (plan) => {
      refuseMissing(plan.work, plan.work.hot.key)
      liveCheckpoint(plan.work, checkpoint)
      planControl(plan, 'meta', { target: { checkpoint }, set: { deleted: true } }, '')
    },
  }
}

/** @throws CheckpointNotFound */
function liveCheckpoint({ hot, cold }: SessionRows, id: string): CheckpointRow {
  if (Object.hasOwn(cold.checkpoints, id) && !isCheckpointDeleted(cold, id)) return cold.checkpoints[id]!
  throw new SessionError(
    'CheckpointNotFound',
    `Session "${hot.key}" has no checkpoint "${id}". listCheckpoints() lists them.`,
  )
}

function checkPlace(after: unknown): { readonly branch: string; readonly order: string } {
  const { branch, order } = (after ?? {}) as { branch?: unknown; order?: unknown }
  if (typeof branch === 'string' && typeof order === 'string') return { branch, order }
  throw new SessionError('InvalidInput', 'openBranch needs `after`: an entry that read() gave, or "start".')
}

function checkName(name: unknown): string | null {
  if (name === null || (typeof name === 'string' && name.length <= 1024)) return name
  throw new SessionError('InvalidInput', 'A name must be a string of at most 1,024 characters, or null.')
}
