import { SessionError } from '../../contract/errors.ts'
import type { StorageBackend } from '../../contract/backend.ts'
import type { SessionRows } from '../../contract/rows.ts'
import type { JobMethod, RepairReport, SessionStore, VerifyProblem, VerifyReport } from '../../contract/store.ts'
import { createChangesMethod } from './changes-method.ts'
import { compactMutation } from './compact.ts'
import type { Engine } from './engine.ts'
import { mergeMutation } from './merge.ts'
import { runNamed } from './run-named.ts'
import { listingOf } from './session-meta.ts'
import { createUsageMethod } from './usage-method.ts'
import { rebuildRows } from './rebuild-rows.ts'
import { checkSession } from './verify.ts'

/** Taking in from elsewhere, giving out, reclaiming, checking, mending, counting: what a session worker leaves to another one. */
export function createJobMethods(engine: Engine, backend: StorageBackend): Pick<SessionStore, JobMethod> {
  const { writer, list, resolveKey, onChange } = engine
  const compact = async (key: string): Promise<number> => {
    const canonical = await resolveKey(key)
    return (await writer.rows(canonical)) === undefined ? 0 : writer.run(canonical, compactMutation(backend))
  }

  const chosen = async (key: string | undefined): Promise<readonly string[]> => {
    if (key !== undefined) return [await resolveKey(key)]
    const damaged: string[] = []
    const rows = await backend.listSessions((one) => damaged.push(one))
    return [...rows.map((hot) => hot.key), ...damaged]
  }

  const verify = async (key?: string): Promise<VerifyReport> => {
    const problems: VerifyProblem[] = []
    let entries = 0
    let sessions = 0
    for (const name of await chosen(key)) {
      const rows = await backend.loadSession(name).catch(unlessDamaged)
      if (rows === undefined) continue
      sessions += 1
      if (rows instanceof SessionError) {
        problems.push({ key: name, kind: 'row', at: name, message: rows.message })
        continue
      }
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
    await writer.alone(hot.key, () => replaceRows(backend, rebuilt))
    const after = await backend.loadSession(hot.key)
    if (after !== undefined) {
      const listing = listingOf(after.hot)
      list.set(hot.key, after.hot.version, listing)
      onChange({ type: 'session', key: hot.key, version: after.hot.version, rows: [], reload: true, listing })
    }
    const left = after === undefined ? [] : (await checkSession(backend, after)).problems
    return Math.max(0, before.problems.length - left.length)
  }

  return {
    merge: async (key, entries, options) => runNamed(engine, key, mergeMutation(backend, entries, options)),
    ...createChangesMethod(engine),
    compact,
    save: async (key) => {
      await compact(key)
    },
    verify,
    repair: async (key) => {
      const report = await verify(key)
      let repaired = 0
      for (const name of new Set(report.problems.map((problem) => problem.key))) {
        const rows = await backend.loadSession(name).catch(unlessDamaged)
        if (rows !== undefined && !(rows instanceof SessionError)) repaired += await repairSession(rows)
      }
      return { ...report, repaired } satisfies RepairReport
    },
    ...createUsageMethod(engine, backend),
  }
}

/** Puts rows in the place of a session's rows. Nothing happens when somebody changed the session meanwhile. */
async function replaceRows(backend: StorageBackend, { hot, cold }: SessionRows): Promise<void> {
  const version = hot.version + 1
  const write = {
    hot: { ...hot, version, coldVersion: version }, cold: { ...cold, version },
    append: [], insert: [], edits: [], erase: [], operations: [], drafts: [], aliases: { add: [], drop: [] },
  }
  await backend.commit({ sessions: [write], erase: [] }, 'strict')
}

/** A row that can't be read, nor made again: that is what is to be reported. */
function unlessDamaged(error: unknown): SessionError {
  if (!(error instanceof SessionError) || error.name !== 'ChecksumMismatch') throw error
  return error
}
