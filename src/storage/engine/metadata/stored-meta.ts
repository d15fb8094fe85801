import type { Entry } from '../../../contract/entry.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { BranchInfo, CheckpointInfo, SessionListing, SessionMeta } from '../../../contract/meta.ts'
import type { BranchRow, CheckpointRow, ColdRow, HotRow, SessionRows } from '../../../contract/rows.ts'
import type { SessionScope } from '../../../contract/scope.ts'
import { given } from '../../../domain/given.ts'
import { isBranchDeleted, lineOf, resolveChain } from '../../../domain/line.ts'
import { metaTargets } from '../../../domain/meta-fields.ts'
import { isCheckpointDeleted } from '../../../domain/purge.ts'
import { summaryOf } from '../../../domain/summary.ts'
import { soundFields } from './sound-fields.ts'

/** A session's row in session lists. */
export function listingOf(hot: HotRow): SessionListing {
  const {
    title: chosen,
    suggestedTitle,
    archived = false,
    tags = [],
    agentId,
    userId,
    ttl,
    promotedTo,
    restartedAt = hot.createdAt,
  } = soundFields(hot)
  const title = chosen ?? suggestedTitle ?? hot.auto?.title ?? ''
  const { key, updatedAt, transcript, context, deletedAt, kept, life } = hot
  return given({
    key,
    title,
    titleSource: chosen !== undefined ? ('user' as const) : title === '' ? ('none' as const) : ('auto' as const),
    agentId,
    userId,
    archived,
    tags,
    createdAt: restartedAt,
    updatedAt,
    messageCount: transcript.messages,
    tokenEstimate: context.tokens,
    deletedAt,
    kept,
    life,
    promotedTo,
    ttl,
  })
}

export function metaOf({ hot, cold }: SessionRows): SessionMeta {
  return given({
    ...listingOf(hot),
    id: fieldOf<string>(cold, 'id') ?? hot.key,
    scope: fieldOf<SessionScope>(cold, 'scope'),
    aliases: aliasesOf(cold),
    summary: summaryOf(cold, lineOf(cold, hot.head)!),
    memo: fieldOf<JsonObject>(cold, 'memo') ?? {},
    custom: fieldOf<JsonObject>(cold, 'custom') ?? {},
    contextState: fieldOf<JsonObject>(cold, 'contextState') ?? {},
    head: hot.head,
    branches: branchesOf({ hot, cold }),
    ttl: fieldOf<number>(cold, 'ttl'),
  })
}

/** The value of a metadata field; `undefined` when it was never set, is unset, or is unusable. */
export function fieldOf<T>(cold: ColdRow, field: string): T | undefined {
  return soundFields({ [field]: cold.fields[field]?.[1] ?? undefined })[field] as T | undefined
}

/** The aliases that an entry adds to its session. */
export function aliasesIn(entry: Entry): readonly string[] {
  return entry.type === 'meta' && metaTargets(entry) === undefined
    ? ((soundFields(entry.data['set'] as JsonObject)['aliases'] as string[] | undefined) ?? [])
    : []
}

export function aliasesOf(cold: ColdRow): readonly string[] {
  return fieldOf<string[]>(cold, 'aliases') ?? []
}

/** Main, then every branch that can be shown, oldest first. */
export function branchesOf({ hot, cold }: SessionRows): readonly BranchInfo[] {
  const shown = Object.entries(cold.branches).filter(
    ([id]) => !isBranchDeleted(cold, id) && resolveChain(cold, id) !== undefined,
  )
  const infos = shown
    .sort(([, a], [, b]) => (a.order < b.order ? -1 : 1))
    .map(([id, row]) => branchInfo({ hot, cold }, id, row))
  const main = given({
    id: '',
    name: branchName(cold, ''),
    isHead: hot.head === '',
    createdAt: 0,
    newerThanHead: cold.newer[''] ?? 0,
  })
  return [main, ...infos]
}

export function branchInfo({ hot, cold }: SessionRows, id: string, row: BranchRow): BranchInfo {
  return given({
    id,
    name: branchName(cold, id, row.name),
    fork: { branch: row.fork.branch, order: row.fork.order },
    isHead: hot.head === id,
    createdAt: row.at,
    newerThanHead: cold.newer[id] ?? 0,
  })
}

/** @param first - the name it was opened with */
function branchName({ targets }: ColdRow, id: string, first?: string): string | undefined {
  const named = targets[`branch:${id}`]?.['name']
  return named === undefined ? first : ((named[1] as string | null) ?? undefined)
}

/** Checkpoints that were not deleted, oldest first. */
export function listedCheckpoints(cold: ColdRow): readonly (readonly [id: string, row: CheckpointRow])[] {
  return Object.entries(cold.checkpoints)
    .filter(([id]) => !isCheckpointDeleted(cold, id))
    .sort(([, a], [, b]) => (a.clock < b.clock ? -1 : 1))
}

/** @param metadata - from the checkpoint's entry */
export function checkpointInfo(id: string, row: CheckpointRow, metadata: JsonObject | undefined): CheckpointInfo {
  const { at, branch, order, vv, label, seen } = row
  const { checksum, messages } = seen ?? {}
  return given({ id, createdAt: at, branch, order, vv, checksum, messages, label, metadata })
}
