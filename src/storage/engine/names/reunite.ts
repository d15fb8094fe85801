import type { CoreBackend } from '../../../contract/backend.ts'
import type { Entry, VersionVector } from '../../../contract/entry.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { MergeResult } from '../../../contract/store/log-exchange.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import { metaTargets } from '../../../domain/meta-fields.ts'
import { pushAll } from '../../../domain/push-all.ts'
import { covers, inRanges } from '../../../domain/version-vector.ts'
import { knownVector } from '../../../domain/work.ts'
import { moveDrafts } from '../drafts/move-drafts.ts'
import type { Engine } from '../engine.ts'
import { mergeMutation } from '../exchange/merge.ts'
import { checkTerm } from '../lifecycle/term-method.ts'
import { aliasesIn, aliasesOf, fieldOf } from '../metadata/stored-meta.ts'
import { bareEntry } from '../reading/entry-view.ts'
import { lanesOf, readLane } from '../reading/read-lane.ts'
import { planDerived } from '../sums/derived-control.ts'
import { formerKeys } from '../writing/former-operations.ts'
import type { Mutation } from '../writing/mutation.ts'
import { isEmptyPlan, type Plan } from '../writing/plan.ts'
import { findOwners } from './alias-owners.ts'
import { hasGivenUp, isOwner, promotedTo, type Reunion } from './name-owner.ts'

/**
 * Continues the log under a name in the session that owns the name (L20), in one transaction. The entries stay
 * unchanged, so that all devices that do it have the same set. The log also stays where it is, in case the name is
 * given up.
 *
 * @param merge - merges what arrives for the log itself
 * @param without - what of the log does not come with it
 */
export async function reunite<Facts>(
  { backend, writer, names }: Engine,
  { session, owner }: Reunion,
  merge: Mutation<Facts, MergeResult>,
  without: VersionVector = {},
): Promise<MergeResult> {
  for (;;) {
    let result: MergeResult | undefined
    const holder = await backend.findAlias(session)
    const keys = [owner, session, ...(holder === undefined || holder === owner ? [] : [holder])]
    await writer.runTogether(
      keys,
      merge.durability,
      async (begin) => {
        result = undefined
        if ((await backend.findAlias(session)) !== holder) return undefined
        const [to, from, before] = (await Promise.all(keys.map(begin))) as [Plan, Plan, Plan?]
        result = merge.plan(from, await merge.prepare?.(from.base, from.writer))
        const { hot } = from.work
        const promoted = promotedTo(from.work)
        const goesOn = to.base.hot.version > 0 && hot.entries > 0 && hot.deletedAt === undefined
        const isNew = holder !== owner || promotedTo(from.base) === undefined
        if (goesOn && promoted !== undefined && promoted !== owner && !(await hasGivenUp(backend, promoted, session))) {
          // The log was continued in a third session. Until that exists here, the log keeps its name itself.
          if (!(await isOwner(backend, promoted, session))) (before ?? to).dropAliases.push(session)
        } else {
          if (goesOn) {
            await carryOver(backend, from, to, { isWhole: isNew, without })
            if (isNew) to.work.hot.formerly = formerKeys(from, to)
            if (isNew) await moveDrafts(backend, from, to)
            if (promoted !== owner) planDerived(from, { promotedTo: owner })
          }
          // What came at the same time may have taken the name from the owner.
          if (holder !== owner && aliasesOf(to.work.cold).includes(session)) to.addAliases.push(session)
          before?.dropAliases.push(session)
        }
        // The log belongs to the plans even when nothing is added to it: a tab that is about to write to it must find
        // that it was continued elsewhere.
        const plans = [to, from, before].filter(
          (plan) => plan !== undefined && ((goesOn && isNew) || !isEmptyPlan(plan)),
        ) as Plan[]
        return plans.length === 0 ? undefined : plans
      },
      checkTerm(merge),
    )
    names.forget()
    if (result !== undefined) return result
  }
}

/** What of a log its owner gets: all of it, or what comes for it now; and nothing that was erased for good there. */
interface CarriedPart {
  readonly isWhole: boolean
  readonly without: VersionVector
}

/**
 * Adds the entries of a log that the owner lacks to its plan, with the names that lead to the log. The owner's names
 * and scope stay.
 */
async function carryOver(backend: CoreBackend, from: Plan, to: Plan, part: CarriedPart): Promise<void> {
  const { key } = from.work.hot
  const own = [...aliasesOf(to.base.cold)]
  const scope = fieldOf<JsonObject>(to.base.cold, 'scope')
  const names = aliasesOf(from.work.cold).filter((name) => name !== to.work.hot.key)
  const owners = await findOwners(backend, names)
  const held = names.filter((name) => owners.get(name) === key)

  to.isMerge = true
  const entries = await missingEntries(backend, from, to, part)
  // An earlier reunion has already handled the names that the log had by then.
  const isFirst = promotedTo(from.work) !== to.work.hot.key
  const named = new Set(entries.flatMap(aliasesIn))
  const moved = [...held, ...from.addAliases].filter((name) => isFirst || named.has(name) || own.includes(name))
  if (entries.length > 0) {
    const taking = mergeMutation(backend, entries, { gapsAreLost: true, isKey: true })
    taking.plan(to, await taking.prepare!(to.base, to.writer))
  }
  const aliases = [...new Set([...own, ...moved])]
  const set: Record<string, JsonValue> = {}
  if (canonicalJson([...aliasesOf(to.work.cold)]) !== canonicalJson(aliases)) set['aliases'] = aliases
  if (scope !== undefined && canonicalJson(fieldOf<JsonObject>(to.work.cold, 'scope') ?? {}) !== canonicalJson(scope))
    set['scope'] = scope
  if (Object.keys(set).length > 0) planDerived(to, set)
  to.addAliases = [...to.addAliases.filter((name) => aliases.includes(name)), ...moved]
  to.dropAliases = to.dropAliases.filter((name) => !aliases.includes(name))
  from.addAliases = []
  pushAll(from.dropAliases, held)
}

async function missingEntries(
  backend: CoreBackend,
  from: Plan,
  to: Plan,
  { isWhole, without }: CarriedPart,
): Promise<readonly Entry[]> {
  const known = knownVector(to.base)
  const { lost = {} } = to.base.cold
  const { version, session } = from.base.hot
  const lanes =
    isWhole && version > 0
      ? await Promise.all(lanesOf(from.base).map((lane) => readLane(backend, session, lane, '')))
      : []
  return [...lanes.flat(), ...from.rows]
    .filter(
      (row) =>
        !isMark(row) &&
        !covers(without, row.w, row.s) &&
        (!covers(known, row.w, row.s) || inRanges(lost, row.w, row.s)),
    )
    .map(bareEntry)
}

/** Whether an entry only notes that the log was continued elsewhere. It is not part of the conversation. */
function isMark(entry: Entry): boolean {
  return (
    entry.type === 'meta' &&
    metaTargets(entry) === undefined &&
    typeof (entry.data['set'] as JsonObject)['promotedTo'] === 'string'
  )
}
