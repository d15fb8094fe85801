import { isSessionError, SessionError } from '../../../contract/errors.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import type { EntryPage, ReadOptions, SessionStore } from '../../../contract/store.ts'
import { rowMessage } from '../../../domain/arrive.ts'
import { lineOf } from '../../../domain/line.ts'
import { orderEnd } from '../../../domain/order.ts'
import { hiddenPart, summaryOf } from '../../../domain/summary.ts'
import { isConnectionLost } from '../../indexeddb/storage-error.ts'
import { bareEntry, viewOf } from './entry-view.ts'
import type { Engine } from '../engine.ts'
import { countOwn } from './count-own.ts'
import { openLine } from './open-line.ts'
import { createPageReader } from './read-ahead.ts'
import { branchesOf, checkpointsOf, fieldOf, metaOf } from '../metadata/stored-meta.ts'
import type { SessionScope } from '../../../contract/scope.ts'
import { readWholeLine } from './session-reader.ts'
import { told } from '../told.ts'

type ReadMethods = Pick<SessionStore, 'read' | 'findByMid' | 'getMeta' | 'listSessions' | 'listBranches' | 'listCheckpoints' | 'getHistory' | 'getSummary' | 'resolveSessionKey' | 'getSessionScope'>

/** Every method that changes nothing. */
export function createReadMethods(engine: Engine): ReadMethods {
  const { backend, writer, list, onChange, resolveKey } = engine
  /** Sessions of which it was said that a part can't be read. */
  const told = new Set<string>()
  const readPage = createPageReader(backend)
  const find = async (key: string): Promise<SessionRows | undefined> => writer.rows(await resolveKey(key))
  /** Sessions behind a tombstone read as empty. */
  const findShown = async (key: string): Promise<SessionRows | undefined> => {
    const rows = await find(key)
    return rows?.hot.deletedAt === undefined ? rows : undefined
  }

  const tellSkipped = (key: string): void => {
    if (told.has(key)) return
    told.add(key)
    onChange({ type: 'notice', name: 'recordSkipped', keys: [key], message: `A part of session "${key}" can't be read. Run repair(), or restore.` })
  }

  return {
    read: async (key, options = {}) => {
      const { branch, view, direction, from, limit, own } = checkRead(options)
      const rows = await findShown(key)
      const at = branch ?? rows?.hot.head ?? ''
      if (rows === undefined) return { entries: [], more: false, skipped: 0, branch: at, version: 0, ...(own ? { own: { messages: 0, newest: 0 } } : {}), ...(view === 'context' ? { hidden: { summary: '' }, total: 0 } : {}) } satisfies EntryPage
      const line = openLine(rows.cold, at, key)
      const page = await readPage(rows, line, { view, direction, from, limit }).catch((error: unknown) => {
        // Nothing of the range comes then: one bad block is enough (Firefox).
        if (isSessionError(error, 'StorageUnavailable') && !isConnectionLost(error)) tellSkipped(rows.hot.key)
        throw error
      })
      if (page.skipped > 0) tellSkipped(rows.hot.key)
      return {
        entries: page.rows.map(viewOf), more: page.more, skipped: page.skipped, branch: at, version: rows.hot.version,
        ...(own ? { own: await countOwn(backend, rows, line, view) } : {}),
        ...(view === 'context' ? { hidden: structuredClone(hiddenPart(rows.cold, line)) } : {}),
        ...(view === 'context' && at === rows.hot.head ? { total: rows.hot.context.messages } : {}),
      }
    },
    findByMid: async (key, mids) => {
      if (!Array.isArray(mids) || mids.some((mid) => typeof mid !== 'string')) throw new SessionError('InvalidInput', 'findByMid needs a list of texts.')
      const rows = await findShown(key)
      if (rows === undefined) return mids.map(() => undefined)
      const newest = new Map<unknown, StoredEntry>()
      for (const row of await backend.findByMid(rows.hot.session, [...new Set(mids)])) {
        const { mid } = row.data
        const other = newest.get(mid)
        if (other === undefined || other.order < row.order) newest.set(mid, row)
      }
      return mids.map((mid) => {
        const row = newest.get(mid)
        return row === undefined ? undefined : bareEntry(row)
      })
    },
    getMeta: async (key) => {
      const rows = await find(key)
      return rows === undefined ? undefined : structuredClone(metaOf(rows))
    },
    listSessions: async (query = {}) => list.page(query),
    listBranches: async (key) => {
      const rows = await findShown(key)
      return rows === undefined ? [] : structuredClone(branchesOf(rows))
    },
    listCheckpoints: async (key) => {
      const rows = await findShown(key)
      return rows === undefined ? [] : structuredClone(checkpointsOf(rows.cold))
    },
    getHistory: async (key) => {
      const rows = await findShown(key)
      if (rows === undefined) return []
      const context = await readWholeLine(backend, rows, lineOf(rows.cold, rows.hot.head)!, 'context')
      return context.flatMap((row) => rowMessage(row) ?? [])
    },
    getSummary: async (key) => {
      const rows = await findShown(key)
      return rows === undefined ? '' : summaryOf(rows.cold, lineOf(rows.cold, rows.hot.head)!)
    },
    resolveSessionKey: (key) => resolveKey(key),
    getSessionScope: async (key) => {
      const rows = await findShown(key)
      return rows === undefined ? undefined : structuredClone(fieldOf<SessionScope>(rows.cold, 'scope'))
    },
  }
}

function checkRead(options: ReadOptions) {
  const { branch, view = 'transcript', last, before, after, limit, own } = options
  if ([last, before, after].filter((bound) => bound !== undefined).length > 1) throw new SessionError('InvalidInput', 'Give only one of `last`, `before` and `after`.')
  if (!['transcript', 'context', 'raw'].includes(view)) throw new SessionError('InvalidInput', `view must be "transcript", "context" or "raw", got ${told(view)}.`)
  const count = last ?? limit ?? 50
  if (!Number.isInteger(count) || count < 1 || count > 4096) throw new SessionError('InvalidInput', `A page holds 1 to 4,096 entries, got ${told(count)}.`)
  for (const bound of [branch, before, after]) if (bound !== undefined && typeof bound !== 'string') throw new SessionError('InvalidInput', '`branch`, `before` and `after` are texts.')
  if (own !== undefined && typeof own !== 'boolean') throw new SessionError('InvalidInput', `own must be true or false, got ${told(own)}.`)
  const isForward = after !== undefined
  return { branch, view, direction: isForward ? ('forward' as const) : ('backward' as const), from: after ?? before ?? orderEnd, limit: count, own: own === true }
}
