import { SessionError } from '../../contract/errors.ts'
import type { HotRow, SessionRows } from '../../contract/rows.ts'
import type { RepairReport, SessionStore, UsageReport, VerifyProblem, VerifyReport } from '../../contract/store.ts'
import { contentHash } from '../content-hash.ts'
import { compactMutation } from './compact.ts'
import type { Engine } from './engine.ts'
import { checkSession, rebuildRows } from './verify.ts'

type MaintenanceMethods = Pick<SessionStore, 'compact' | 'save' | 'purge' | 'verify' | 'repair' | 'usage' | 'putBlob'>

/** Reclaiming, erasing, checking. */
export function createMaintenanceMethods(engine: Engine): MaintenanceMethods {
  const { backend, writer, list, resolveKey, onChange } = engine
  const compact = async (key: string): Promise<number> => {
    const canonical = await resolveKey(key)
    return (await writer.rows(canonical)) === undefined ? 0 : writer.run(canonical, compactMutation(backend))
  }

  const chosen = async (key: string | undefined): Promise<readonly string[]> => {
    if (key === undefined) return (await backend.listSessions()).map((hot) => hot.key)
    return [await resolveKey(key)]
  }

  const verify = async (key?: string): Promise<VerifyReport> => {
    const problems: VerifyProblem[] = []
    let entries = 0
    let sessions = 0
    for (const name of await chosen(key)) {
      const rows = await backend.loadSession(name)
      if (rows === undefined) continue
      sessions += 1
      const check = await checkSession(backend, rows)
      entries += check.entries.length
      problems.push(...check.problems)
    }
    return { sessions, entries, problems }
  }

  /** @returns how many of the session's problems were mended */
  const repairSession = async (rows: SessionRows): Promise<number> => {
    const { hot, cold } = rows
    const before = await checkSession(backend, rows)
    if (before.problems.length === 0) return 0
    for (const { lane, record } of before.unreadable) await backend.setAside(hot.session, lane, record)
    const rebuilt = rebuildRows(hot, before.entries, cold)
    await writer.replaceRows(hot.key, { hot: rebuilt.hot, cold: rebuilt.cold })
    const after = await backend.loadSession(hot.key)
    const left = after === undefined ? [] : (await checkSession(backend, after)).problems
    return Math.max(0, before.problems.length - left.length)
  }

  return {
    compact,
    save: async (key) => {
      await compact(key)
    },
    purge: async (key) => {
      const canonical = await resolveKey(key)
      const rows = await writer.rows(canonical)
      if (rows === undefined) return
      await writer.erase(canonical)
      engine.names.forget()
      list.set(canonical, undefined)
      onChange({ type: 'session', key: canonical, version: rows.hot.version + 1, rows: [], reload: true })
    },
    verify,
    repair: async (key) => {
      const report = await verify(key)
      let repaired = 0
      for (const name of new Set(report.problems.map((problem) => problem.key))) {
        const rows = await backend.loadSession(name)
        if (rows !== undefined) repaired += await repairSession(rows)
      }
      return { ...report, repaired } satisfies RepairReport
    },
    usage: async (key) => {
      const all = await backend.listSessions()
      const canonical = key === undefined ? undefined : await resolveKey(key)
      const counted = canonical === undefined ? all : all.filter((hot) => hot.key === canonical)
      const { blobBytes, draftBytes, originBytes, quotaBytes } = await backend.usage()
      const sum = (of: (hot: HotRow) => number): number => counted.reduce((total, hot) => total + of(hot), 0)
      return {
        sessions: counted.length,
        entries: sum((hot) => hot.entries),
        entryBytes: sum((hot) => hot.bytes),
        blobBytes, draftBytes,
        ...(originBytes === undefined ? {} : { originBytes }),
        ...(quotaBytes === undefined ? {} : { quotaBytes }),
      } satisfies UsageReport
    },
    putBlob: async (blob) => {
      if (typeof (blob as Blob | undefined | null)?.arrayBuffer !== 'function') throw new SessionError('InvalidInput', 'putBlob needs a Blob. Wrap other bytes: new Blob([bytes]).')
      const hash = await contentHash(blob)
      await backend.putBlob(hash, blob)
      return hash
    },
  }
}
