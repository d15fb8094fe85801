import type { CoreBackend } from '../../../contract/backend.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import type { EnsureMetadataResult } from '../../../contract/store/session-metadata.ts'
import type { TermOptions } from '../../../contract/term.ts'
import { goTrim } from '../../../domain/identity/go-text.ts'
import { lineOf } from '../../../domain/line.ts'
import { pushAll } from '../../../domain/push-all.ts'
import { summaryOf } from '../../../domain/summary.ts'
import { beginWork, rescan } from '../../../domain/work.ts'
import { moveDrafts } from '../drafts/move-drafts.ts'
import type { Engine } from '../engine.ts'
import { loadLiving } from '../lifecycle/living-session.ts'
import type { CheckedMetadata } from '../metadata/metadata.ts'
import { planMetadata } from '../metadata/metadata.ts'
import { aliasesOf } from '../metadata/stored-meta.ts'
import { lanesOf, readLane } from '../reading/read-lane.ts'
import { formerKeys } from '../writing/former-operations.ts'
import type { Plan } from '../writing/plan.ts'
import { planControl } from '../writing/plan.ts'
import { rememberOperation } from '../writing/plan-calls.ts'
import { ownableAliases, prepareClaim } from './alias-owners.ts'

/**
 * Creates a session from the first of its aliases that has a history or a summary (L20). The whole log moves, with each
 * entry unchanged: two devices that both do it have the same set. Source: PicoClaw, `PromoteAliasHistory`
 *
 * @returns `undefined` when there is nothing to promote
 */
export async function promoteAlias(
  { backend, writer }: Engine,
  key: string,
  metadata: CheckedMetadata,
  fence: TermOptions,
): Promise<EnsureMetadataResult | undefined> {
  const { aliases, scope, durability, operation } = metadata
  for (;;) {
    const source =
      (await writer.rows(key)) === undefined
        ? await findSource(
            backend,
            aliases.filter((alias) => alias !== key),
          )
        : undefined
    if (source === undefined) return undefined
    let result: EnsureMetadataResult | undefined
    await writer.runTogether(
      [key, source],
      durability,
      async (begin) => {
        result = undefined
        const to = await begin(key)
        const from = await begin(source)
        const inherited = aliasesOf(from.base.cold)
        const claim = await prepareClaim(backend, to.base, [...new Set([...aliases, ...inherited])])
        const owners = new Map(claim.owners)
        if (to.base.hot.version > 0 || owners.has(source) || !isWorthIt(from.base)) return undefined
        await moveLog(backend, from, to)
        const own = to.rows.length
        const moved = inherited.filter((alias) => owners.get(alias) === source && owners.delete(alias))
        planControl(from, 'meta', { set: { promotedTo: key, ...(inherited.length > 0 ? { aliases: [] } : {}) } }, '')
        pushAll(from.dropAliases, moved)
        result = {
          key,
          conflicts: planMetadata(to, [...new Set([...aliases, ...moved])], scope, { owners, after: claim.after }),
          promoted: source,
        }
        if (operation !== undefined) rememberOperation(to, operation, { ...result }, undefined, own)
        // The target comes first: when only a part is stored, nothing is lost.
        return [to, from]
      },
      fence,
    )
    if (result !== undefined) return result
  }
}

/** The first alias that is the key of a session with content, and that no other session owns. */
async function findSource(backend: CoreBackend, aliases: readonly string[]): Promise<string | undefined> {
  const names = ownableAliases(aliases)
  const found = await Promise.all(
    names.map(async (name) => {
      const [rows, owner] = await Promise.all([loadLiving(backend, name), backend.findAlias(name)])
      return rows !== undefined && owner === undefined && isWorthIt(rows)
    }),
  )
  return names[found.indexOf(true)]
}

function isWorthIt({ hot, cold }: SessionRows): boolean {
  if (hot.deletedAt !== undefined || hot.promotedTo !== undefined) return false
  return hot.context.messages > 0 || goTrim(summaryOf(cold, lineOf(cold, hot.head)!)) !== ''
}

/** Adds all rows, entries and drafts of one session to a plan of another, which must be empty. */
async function moveLog(backend: CoreBackend, from: Plan, to: Plan): Promise<void> {
  const { hot, cold } = from.base
  const { key, session } = to.base.hot
  to.work = beginWork({ hot: { ...hot, key, session, version: 0, coldVersion: 0, pack: { from: '', count: 0 } }, cold })
  delete to.work.hot.restarted
  to.work.hot.formerly = formerKeys(from, to)
  to.reload = true
  for (const lane of lanesOf(from.base)) {
    // Unreadable entries stay behind, and must not be counted.
    for (const row of await readLane(backend, hot.session, lane, '', () => {
      delete to.work.hot.seen
      rescan(to.work)
    }))
      to.rows.push(row)
  }
  await moveDrafts(backend, from, to)
}
