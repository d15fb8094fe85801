import { isSessionError, SessionError } from '../../../contract/errors.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import type { SessionScope } from '../../../contract/scope.ts'
import type { EntryPage } from '../../../contract/store/session-log.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { lineOf } from '../../../domain/line.ts'
import { hiddenPart, summaryOf } from '../../../domain/summary.ts'
import { rowMessage } from '../../../domain/view-state.ts'
import { isConnectionLost } from '../../indexeddb/storage-error.ts'
import { listCheckpoints } from '../branches/checkpoint-entry.ts'
import type { Engine } from '../engine.ts'
import { branchesOf, fieldOf, metaOf } from '../metadata/stored-meta.ts'
import { checkRead } from './check-read.ts'
import { countOwn } from './count-own.ts'
import { viewOf } from './entry-view.ts'
import { findEntry } from './find-entry.ts'
import { newestByMid } from './newest-by-mid.ts'
import { openLine } from './open-line.ts'
import { createPageReader } from './read-ahead.ts'
import { readWholeLine } from './session-reader.ts'

type ReadMethods = Pick<
  SessionStore,
  | 'read'
  | 'find'
  | 'findByMid'
  | 'getMeta'
  | 'listSessions'
  | 'listBranches'
  | 'listCheckpoints'
  | 'getHistory'
  | 'getSummary'
  | 'resolveSessionKey'
  | 'getSessionScope'
>

/** All methods that change nothing. */
export function createReadMethods(engine: Engine): ReadMethods {
  const { backend, writer, list, onChange, resolveKey } = engine
  /** Sessions whose unreadable part was announced. */
  const announced = new Set<string>()
  const readPage = createPageReader(backend)
  const find = async (key: string): Promise<SessionRows | undefined> => writer.rows(await resolveKey(key))
  /** A deleted session reads as an empty one. */
  const findShownSession = async (key: string): Promise<SessionRows | undefined> => {
    const rows = await find(key)
    return rows?.hot.deletedAt === undefined ? rows : undefined
  }

  const announceSkipped = (key: string): void => {
    if (announced.has(key)) return
    announced.add(key)
    onChange({
      type: 'notice',
      name: 'recordSkipped',
      keys: [key],
      message: `A part of session "${key}" can't be read. Run repair(), or restore the session.`,
    })
  }

  return {
    read: async (key, options = {}) => {
      const { branch, view, direction, from, limit, own } = checkRead(options)
      const rows = await findShownSession(key)
      const at = branch ?? rows?.hot.head ?? ''
      if (rows === undefined)
        return {
          entries: [],
          more: false,
          skipped: 0,
          branch: at,
          version: 0,
          session: 0,
          ...(own ? { own: { messages: 0, newest: 0 } } : {}),
          ...(view === 'context' ? { hidden: { summary: '' }, total: 0 } : {}),
        } satisfies EntryPage
      const line = openLine(rows.cold, at, key)
      const page = await readPage(rows, line, { view, direction, from, limit }).catch((error: unknown) => {
        // In Firefox one bad block makes the whole range unreadable.
        if (isSessionError(error, 'StorageUnavailable') && !isConnectionLost(error)) announceSkipped(rows.hot.key)
        throw error
      })
      if (page.skipped > 0) announceSkipped(rows.hot.key)
      return {
        entries: page.rows.map(viewOf),
        more: page.more,
        skipped: page.skipped,
        branch: at,
        version: rows.hot.version,
        session: rows.hot.session,
        ...(own ? { own: await countOwn(backend, rows, line, view) } : {}),
        ...(view === 'context' ? { hidden: structuredClone(hiddenPart(rows.cold, line)) } : {}),
        ...(view === 'context' && at === rows.hot.head ? { total: rows.hot.context.messages } : {}),
      }
    },
    find: async (key, target) => findEntry(backend, await findShownSession(key), target),
    findByMid: async (key, mids) => {
      if (!Array.isArray(mids) || mids.some((mid) => typeof mid !== 'string'))
        throw new SessionError('InvalidInput', 'findByMid needs a list of strings.')
      const rows = await findShownSession(key)
      if (rows === undefined) return mids.map(() => undefined)
      return newestByMid(backend, rows, mids)
    },
    getMeta: async (key) => {
      const rows = await find(key)
      return rows === undefined ? undefined : structuredClone(metaOf(rows))
    },
    listSessions: async (query = {}) => list.page(query),
    listBranches: async (key) => {
      const rows = await findShownSession(key)
      return rows === undefined ? [] : structuredClone(branchesOf(rows))
    },
    listCheckpoints: async (key) => {
      const rows = await findShownSession(key)
      return rows === undefined ? [] : listCheckpoints(backend, rows)
    },
    getHistory: async (key) => {
      const rows = await findShownSession(key)
      if (rows === undefined) return []
      const context = await readWholeLine(backend, rows, lineOf(rows.cold, rows.hot.head)!, 'context')
      return context.flatMap((row) => rowMessage(row) ?? [])
    },
    getSummary: async (key) => {
      const rows = await findShownSession(key)
      return rows === undefined ? '' : summaryOf(rows.cold, lineOf(rows.cold, rows.hot.head)!)
    },
    resolveSessionKey: (key) => resolveKey(key),
    getSessionScope: async (key) => {
      const rows = await findShownSession(key)
      return rows === undefined ? undefined : structuredClone(fieldOf<SessionScope>(rows.cold, 'scope'))
    },
  }
}
