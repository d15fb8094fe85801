import { SessionError } from '../../contract/errors.ts'
import { blobGraceMs, type ReferenceChange, type StorageBackend } from '../../contract/backend.ts'
import type { SessionRows } from '../../contract/rows.ts'
import type { JobMethod, RepairReport, SessionStore, VerifyProblem, VerifyReport } from '../../contract/store.ts'
import type { TermOptions } from '../../contract/term.ts'
import { type BlobCheck, checkBlobs, refillBlobs } from './check-blobs.ts'
import { createChangesMethod } from './changes-method.ts'
import { compactMutation } from './compact.ts'
import type { Engine } from './engine.ts'
import { checkKey } from './input.ts'
import { createMergeMethod } from './merge-method.ts'
import { listingOf } from './session-meta.ts'
import { inTerm } from './term-method.ts'
import { createUntoldPurgesMethods } from './untold-purges-methods.ts'
import { createUsageMethod } from './usage-method.ts'
import { rebuildRows } from './rebuild-rows.ts'
import { checkSession, type SessionCheck } from './verify.ts'
import { pushAll } from '../../domain/push-all.ts'

/** Taking in from elsewhere, giving out, reclaiming, checking, mending, counting: what a session worker leaves to another one. */
export function createJobMethods(engine: Engine, backend: StorageBackend): Pick<SessionStore, JobMethod> {
  const { writer, list, now, resolveKey, onChange } = engine
  const compact = async (key: string, options?: TermOptions): Promise<number> => {
    const canonical = await resolveKey(key)
    const erased = (await writer.rows(canonical)) === undefined ? 0 : await writer.run(canonical, inTerm(compactMutation(backend), options))
    await backend.collectBlobs(now() - blobGraceMs)
    return erased
  }

  const chosen = async (key: string | undefined): Promise<readonly string[]> => {
    if (key !== undefined) {
      checkKey(key)
      // Its own log first: that of a session which was taken over, or whose rows can't be read, no name leads to.
      return [(await backend.loadSession(key).catch(unlessDamaged)) === undefined ? await resolveKey(key) : key]
    }
    const damaged: string[] = []
    const rows = await backend.listSessions((one) => damaged.push(one))
    return [...rows.map((hot) => hot.key), ...damaged]
  }

  const inspect = async (rows: SessionRows, sound: Map<string, boolean>): Promise<SessionCheck & { readonly blobs: BlobCheck }> => {
    const check = await checkSession(backend, rows)
    const blobs = await checkBlobs(backend, rows.hot, check.entries, sound, check.unreadable.length > 0)
    return { ...check, problems: [...check.problems, ...blobs.problems], blobs }
  }

  const verify = async (key?: string): Promise<VerifyReport> => {
    const problems: VerifyProblem[] = []
    const sound = new Map<string, boolean>()
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
      const check = await inspect(rows, sound)
      entries += check.entries.length
      pushAll(problems, check.problems)
    }
    return { sessions, entries, problems }
  }

  /** @returns how many of the session's problems were mended */
  const repairSession = async (rows: SessionRows): Promise<number> => {
    const { hot, cold } = rows
    const before = await inspect(rows, new Map())
    if (before.problems.length === 0) return 0
    await refillBlobs(backend, before.blobs.broken, now)
    for (const { lane, record } of before.unreadable) await backend.setAside(hot.session, lane, record)
    const rebuilt = rebuildRows(hot, before.entries, cold)
    const isLost = rebuilt.cold.lost !== undefined
    const references = before.blobs.changes.map((change) => ({ ...change, at: now(), isLost }))
    await writer.alone(hot.key, () => replaceRows(backend, rebuilt, references))
    const after = await backend.loadSession(hot.key)
    if (after !== undefined) {
      const listing = listingOf(after.hot)
      list.set(hot.key, after.hot.version, listing)
      onChange({ type: 'session', key: hot.key, version: after.hot.version, rows: [], reload: true, listing })
    }
    const left = after === undefined ? [] : (await inspect(after, new Map())).problems
    return Math.max(0, before.problems.length - left.length)
  }

  return {
    ...createMergeMethod(engine),
    ...createChangesMethod(engine),
    ...createUntoldPurgesMethods(backend),
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
async function replaceRows(backend: StorageBackend, { hot, cold }: SessionRows, references: readonly ReferenceChange[]): Promise<void> {
  const version = hot.version + 1
  const write = {
    hot: { ...hot, version, coldVersion: version }, cold: { ...cold, version },
    append: [], insert: [], edits: [], erase: [], operations: [], drafts: [], aliases: { add: [], drop: [] }, references,
  }
  await backend.commit({ sessions: [write], erase: [] }, 'strict')
}

/** A row that can't be read, nor made again: that is what is to be reported. */
function unlessDamaged(error: unknown): SessionError {
  if (!(error instanceof SessionError) || error.name !== 'ChecksumMismatch') throw error
  return error
}
