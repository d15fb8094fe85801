import type { CoreBackend } from '../../../contract/backend.ts'
import type { Entry, SequenceRanges } from '../../../contract/entry.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import type { MergeOptions, MergeResult } from '../../../contract/store/log-exchange.ts'
import { entryId, writerKey } from '../../../domain/address.ts'
import { mayHaveCopies } from '../../../domain/arrive.ts'
import { compareClocks } from '../../../domain/clock.ts'
import { importedMid } from '../../../domain/imported-mid.ts'
import { pushAll } from '../../../domain/push-all.ts'
import { behindRanges, inRanges, joinRanges, withoutEntry, withoutRanges } from '../../../domain/version-vector.ts'
import { changeCold, nextSequence } from '../../../domain/work.ts'
import { loadReadable } from '../lifecycle/living-session.ts'
import { takeFree } from '../metadata/metadata.ts'
import { aliasesIn, aliasesOf } from '../metadata/stored-meta.ts'
import type { Owners } from '../names/alias-owners.ts'
import { cleanAliases, findOwners, ownableAliases } from '../names/alias-owners.ts'
import { hasLog } from '../names/name-owner.ts'
import { checkDurability } from '../writing/input.ts'
import type { Mutation } from '../writing/mutation.ts'
import { type Plan, takeIn } from '../writing/plan.ts'
import { readTargets, type Targets, targetFinder } from './merge-targets.ts'
import { refuseOther } from './refuse-other.ts'
import { idOf, type SoundEntry, sortOut } from './sound-entries.ts'

interface MergeFacts {
  readonly targets: Targets
  readonly owners: Owners
  /** Names without an owner that have a log under them. They change owners together with the log, in `reunite`. */
  readonly taken: ReadonlySet<string>
  /** Ids of imported rows that exist here. */
  readonly mids: ReadonlySet<unknown>
}

/**
 * Set union with the entries of another device or an import. An entry that breaks a rule is refused and named, and the
 * others are merged.
 */
export function mergeMutation(
  backend: CoreBackend,
  entries: readonly Entry[],
  options: MergeOptions = {},
): Mutation<MergeFacts, MergeResult> {
  const { gapsAreLost = false, isKey = false } = options
  if (!Array.isArray(entries)) throw new SessionError('InvalidInput', 'merge needs a list of entries.')
  const { sound, refused } = sortOut(entries)
  const purges = purgesIn(sound)
  const names = ownableAliases(cleanAliases(sound.flatMap(({ entry }) => aliasesIn(entry))))

  return {
    durability: checkDurability(options) ?? 'relaxed',
    needs: (rows) =>
      names.length > 0 ||
      (rows.hot.version > 0 &&
        (sound.some(({ entry }) => entry.type === 'edit' || entry.type === 'branch') ||
          midsToFind(rows, sound).length > 0)),
    prepare: async (rows) => {
      const owners = await findOwners(backend, names)
      return {
        targets: rows.hot.version > 0 ? await readTargets(backend, rows, sound) : new Map(),
        owners,
        taken: new Set(
          isKey
            ? await namesOfLogs(
                backend,
                names.filter((name) => !owners.has(name)),
              )
            : [],
        ),
        mids: await readMids(backend, rows, sound),
      }
    },
    plan: (plan, facts) => {
      refuseOther(plan, options)
      plan.isMerge = true
      const holes = joinRanges(plan.work.cold.purged, purges)
      const late: MergeResult['refused'][number][] = []
      let added = 0
      let known = 0
      let before: Entry | undefined
      let passed: SequenceRanges = {}
      const target = targetFinder(plan, facts?.targets)
      // The same commit may contain another merge.
      const mids = new Set<unknown>([...(facts?.mids ?? []), ...plan.rows.map(importedMid)])
      for (const { entry, bytes } of sound) {
        // Two entries of one writer with the same clock would have the same place, and one of them would be lost.
        if (before?.w === entry.w && before.s < entry.s && compareClocks(before.clock, entry.clock) >= 0) {
          late.push({
            id: idOf(entry),
            reason: `its clock is not later than the clock of the writer's previous entry ${idOf(before)}`,
          })
          continue
        }
        before = entry
        const next = nextSequence(plan.work, entry.w)
        const isLost = inRanges(plan.work.cold.lost ?? {}, entry.w, entry.s)
        if (entry.s < next && !isLost) {
          known += 1
          continue
        }
        if (!isLost && next < entry.s) {
          const missing = behindRanges(holes, entry.w, next)
          if (missing < entry.s && !gapsAreLost) {
            late.push({
              id: idOf(entry),
              reason: `entry ${entryId(entry.w, missing)} of the same writer must come first`,
              isEarly: true,
            })
            continue
          }
          passed = joinRanges(passed, { [writerKey(entry.w)]: [[next, entry.s]] })
        }
        const mid = importedMid(entry)
        takeIn(
          plan,
          entry,
          bytes,
          entry.type === 'edit' || entry.type === 'branch' ? target(entry) : undefined,
          mid !== undefined && mids.has(mid),
        )
        mids.add(mid)
        added += 1
        if (isLost) changeCold(plan.work, { lost: withoutEntry(plan.work.cold.lost ?? {}, entry.w, entry.s) })
      }
      // The purge that explains a gap may itself have come too early to be merged.
      const unexplained = withoutRanges(passed, plan.work.cold.purged)
      if (Object.keys(unexplained).length > 0)
        changeCold(plan.work, { lost: joinRanges(plan.work.cold.lost ?? {}, unexplained) })
      claimNames(plan, names, facts)
      return { added, known, refused: [...refused, ...late] }
    },
  }
}

/** The entries that purges among these have erased for good. */
function purgesIn(sound: readonly SoundEntry[]): SequenceRanges {
  return sound
    .filter(({ entry }) => entry.type === 'purge')
    .reduce<SequenceRanges>((ranges, { entry }) => joinRanges(ranges, entry.data['ranges'] as SequenceRanges), {})
}

/** Takes the names that the merged entries gave the session where they are free, and drops those it lost. */
function claimNames(plan: Plan, names: readonly string[], facts: MergeFacts | undefined): void {
  const aliases = aliasesOf(plan.work.cold).filter(
    (alias) => names.includes(alias) && alias !== plan.work.hot.key && facts?.taken.has(alias) !== true,
  )
  takeFree(plan, aliases, facts?.owners)
  pushAll(
    plan.dropAliases,
    aliasesOf(plan.base.cold).filter((alias) => !aliasesOf(plan.work.cold).includes(alias)),
  )
}

async function namesOfLogs(backend: CoreBackend, names: readonly string[]): Promise<readonly string[]> {
  const logs = await Promise.all(names.map((name) => loadReadable(backend, name)))
  return names.filter((_, i) => hasLog(logs[i]))
}

/** Ids of new imported rows that may be copies of existing ones. */
function midsToFind(rows: SessionRows, sound: readonly SoundEntry[]): readonly string[] {
  return sound.flatMap(({ entry }) =>
    (entry.s >= nextSequence(rows, entry.w) || rows.cold.lost !== undefined) && mayHaveCopies(rows, entry)
      ? importedMid(entry)!
      : [],
  )
}

async function readMids(
  backend: CoreBackend,
  rows: SessionRows,
  sound: readonly SoundEntry[],
): Promise<ReadonlySet<unknown>> {
  const mids = midsToFind(rows, sound)
  return new Set(
    mids.length === 0 ? [] : (await backend.findByMid(rows.hot.session, [...new Set(mids)])).map(importedMid),
  )
}
