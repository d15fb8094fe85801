import type { CoreBackend } from '../../../contract/backend.ts'
import type { Entry } from '../../../contract/entry.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { MergeResult } from '../../../contract/store.ts'
import { knownVector } from '../../../domain/arrive.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import { metaTarget } from '../../../domain/fold.ts'
import { covers, inRanges } from '../../../domain/version-vector.ts'
import { findOwners } from './alias-owners.ts'
import { planDerived } from '../sums/derived-control.ts'
import type { Engine } from '../engine.ts'
import { bareEntry } from '../reading/entry-view.ts'
import { formerKeys } from '../writing/former-operations.ts'
import { mergeMutation } from '../exchange/merge.ts'
import { moveDrafts } from '../drafts/move-drafts.ts'
import { hasGivenUp, isOwner, promotedTo, type Reunion } from './name-owner.ts'
import { isEmptyPlan, type Plan } from '../writing/plan.ts'
import { aliasesIn, aliasesOf, fieldOf } from '../metadata/stored-meta.ts'
import { lanesOf, readLane } from '../reading/session-reader.ts'
import type { Mutation } from '../writing/session-writer.ts'
import { checkTerm } from '../lifecycle/term-method.ts'
import { pushAll } from '../../../domain/push-all.ts'

/**
 * Has the log under a name go on in the session that owns the name (L20), in one transaction: its entries as they are, so that devices that all do
 * it hold the same set. It stays where it is, too, for the day the name is given up.
 *
 * @param merge - takes in what comes for the log itself
 */
export async function reunite<Facts>({ backend, writer, names }: Engine, { session, owner }: Reunion, merge: Mutation<Facts, MergeResult>): Promise<MergeResult> {
  for (;;) {
    let result: MergeResult | undefined
    const holder = await backend.findAlias(session)
    const keys = [owner, session, ...(holder === undefined || holder === owner ? [] : [holder])]
    await writer.runTogether(keys, merge.durability, async (begin) => {
      result = undefined
      if ((await backend.findAlias(session)) !== holder) return undefined
      const [to, from, before] = (await Promise.all(keys.map(begin))) as [Plan, Plan, Plan?]
      result = merge.plan(from, await merge.prepare?.(from.base, from.writer))
      const { hot } = from.work
      const promoted = promotedTo(from.work)
      const goesOn = to.base.hot.version > 0 && hot.entries > 0 && hot.deletedAt === undefined
      const isNew = holder !== owner || promotedTo(from.base) === undefined
      if (goesOn && promoted !== undefined && promoted !== owner && !(await hasGivenUp(backend, promoted, session))) {
        // It went on in a third one. Until that is here, it has its name itself.
        if (!(await isOwner(backend, promoted, session))) (before ?? to).dropAliases.push(session)
      } else {
        if (goesOn) {
          await carryOver(backend, from, to, isNew)
          if (isNew) to.work.hot.formerly = formerKeys(from, to)
          if (isNew) await moveDrafts(backend, from, to)
          if (promoted !== owner) planDerived(from, { promotedTo: owner })
        }
        if (holder !== owner) to.addAliases.push(session)
        before?.dropAliases.push(session)
      }
      // Also the log to which nothing is added: who was about to write to it is to find that it went on elsewhere.
      const plans = [to, from, before].filter((plan) => plan !== undefined && ((goesOn && isNew) || !isEmptyPlan(plan))) as Plan[]
      return plans.length === 0 ? undefined : plans
    }, checkTerm(merge))
    names.forget()
    if (result !== undefined) return result
  }
}

/** Puts what the owner lacks of a log into its plan, with the names that lead to the log. Its own names and scope stay. */
async function carryOver(backend: CoreBackend, from: Plan, to: Plan, isWhole: boolean): Promise<void> {
  const { key } = from.work.hot
  const own = [...aliasesOf(to.base.cold)]
  const scope = fieldOf<JsonObject>(to.base.cold, 'scope')
  const names = aliasesOf(from.work.cold).filter((name) => name !== to.work.hot.key)
  const owners = await findOwners(backend, names)
  const held = names.filter((name) => owners.get(name) === key)

  to.isMerge = true
  const entries = await missingEntries(backend, from, to, isWhole)
  // Whoever brought them together before has seen to the names that the log had by then.
  const isFirst = promotedTo(from.work) !== to.work.hot.key
  const told = new Set(entries.flatMap(aliasesIn))
  const moved = [...held, ...from.addAliases].filter((name) => isFirst || told.has(name) || own.includes(name))
  if (entries.length > 0) {
    const taking = mergeMutation(backend, entries, { gapsAreLost: true, isKey: true })
    taking.plan(to, await taking.prepare!(to.base, to.writer))
  }
  const aliases = [...new Set([...own, ...moved])]
  const set: Record<string, JsonValue> = {}
  if (canonicalJson([...aliasesOf(to.work.cold)]) !== canonicalJson(aliases)) set['aliases'] = aliases
  if (scope !== undefined && canonicalJson(fieldOf<JsonObject>(to.work.cold, 'scope') ?? {}) !== canonicalJson(scope)) set['scope'] = scope
  if (Object.keys(set).length > 0) planDerived(to, set)
  to.addAliases = [...to.addAliases.filter((name) => aliases.includes(name)), ...moved]
  to.dropAliases = to.dropAliases.filter((name) => !aliases.includes(name))
  from.addAliases = []
  pushAll(from.dropAliases, held)
}

async function missingEntries(backend: CoreBackend, from: Plan, to: Plan, isWhole: boolean): Promise<readonly Entry[]> {
  const known = knownVector(to.base)
  const { lost = {} } = to.base.cold
  const { version, session } = from.base.hot
  const lanes = isWhole && version > 0 ? await Promise.all(lanesOf(from.base).map((lane) => readLane(backend, session, lane, ''))) : []
  return [...lanes.flat(), ...from.rows].filter((row) => !isMark(row) && (!covers(known, row.w, row.s) || inRanges(lost, row.w, row.s))).map(bareEntry)
}

/** Whether it says of the log that it went on elsewhere, which is nothing of the conversation. */
function isMark(entry: Entry): boolean {
  return entry.type === 'meta' && metaTarget(entry) === undefined && typeof (entry.data['set'] as JsonObject)['promotedTo'] === 'string'
}
