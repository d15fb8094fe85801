import type { StorageBackend } from '../../../contract/backend.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { InterruptibleWork, WorkOptions } from '../../../contract/interruptible-work.ts'
import type { RepairReport, VerifyReport } from '../../../contract/store/store-upkeep.ts'
import type { Engine } from '../engine.ts'
import { createPace, type Pace } from '../work-pace.ts'
import { checkKey } from '../writing/input.ts'
import { createRowsCheck } from './check-rows.ts'
import { createProblemList } from './problem-list.ts'
import { inspectSession, repairSession, type WholeCheck } from './repair-session.ts'

/** `verify` and `repair`, which hold one page of a session in memory at a time. */
export function createCheckMethods(
  engine: Engine,
  backend: StorageBackend,
): Pick<InterruptibleWork, 'verify' | 'repair'> {
  const { resolveKey } = engine

  const chosen = async (key: string | undefined): Promise<readonly string[]> => {
    if (key !== undefined) {
      checkKey(key)
      // The session's own log comes first: no name leads to the log of a session whose history moved, or whose rows
      // can't be read.
      return [(await backend.loadSession(key).catch(unlessDamaged)) === undefined ? await resolveKey(key) : key]
    }
    const damaged: string[] = []
    const rows = await backend.listSessions((one) => damaged.push(one))
    return [...rows.map((hot) => hot.key), ...damaged]
  }

  /** Checks sessions one after the other. @param onProblems - called for a session with problems */
  const checkAll = async (
    key: string | undefined,
    name: string,
    work: WorkOptions,
    onProblems?: (check: WholeCheck, pace: Pace) => Promise<void>,
  ): Promise<VerifyReport> => {
    const problems = createProblemList()
    const sound = new Map<string, boolean>()
    let [entries, sessions] = [0, 0]
    for (const one of await chosen(key)) {
      const rows = await backend.loadSession(one).catch(unlessDamaged)
      if (rows === undefined) continue
      if (rows instanceof SessionError) {
        sessions++
        problems.add({ key: one, kind: 'row', at: one, message: rows.message })
        continue
      }
      const pace = createPace(name, rows.hot.bytes, work)
      const check = await inspectSession(backend, rows, sound, pace)
      if (check === undefined) continue
      sessions++
      entries += check.entries
      problems.addAll(check.problems)
      if (check.problems.count() > 0) await onProblems?.(check, pace)
    }
    return { sessions, entries, ...problems.report() }
  }

  const { checkRows } = createRowsCheck(engine, backend)
  /** A report with what a check of all collections finds, if it is about all sessions. */
  const withRows = async (report: VerifyReport, key: string | undefined, repair: boolean): Promise<RepairReport> => {
    if (key !== undefined) return { ...report, repaired: 0 }
    const found = await checkRows({ repair })
    const problems = createProblemList()
    problems.addReport(report)
    problems.addReport(found)
    return { sessions: report.sessions, entries: report.entries, ...problems.report(), repaired: found.repaired }
  }

  return {
    verify: async (key, work = {}) => {
      const { repaired: _, ...report } = await withRows(await checkAll(key, 'check', work), key, false)
      return report
    },
    repair: async (key, work = {}) => {
      let repaired = 0
      const report = await checkAll(
        key,
        'repair',
        work,
        async (check, pace) => void (repaired += await repairSession(engine, backend, check, pace)),
      )
      const { repaired: setAside, ...whole } = await withRows(report, key, true)
      return { ...whole, repaired: repaired + setAside } satisfies RepairReport
    },
  }
}

/** A row can be neither read nor rebuilt, which the check reports. */
function unlessDamaged(error: unknown): SessionError {
  if (!(error instanceof SessionError) || error.name !== 'ChecksumMismatch') throw error
  return error
}
