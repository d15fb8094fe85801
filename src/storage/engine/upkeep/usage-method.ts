import type { StorageBackend } from '../../../contract/backend.ts'
import { isSessionError, SessionError } from '../../../contract/errors.ts'
import type { HotRow } from '../../../contract/rows.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import type { SessionUsage } from '../../../contract/store/store-upkeep.ts'
import { reclaimableOf } from '../../find-reclaimable.ts'
import { describeValue } from '../describe-value.ts'
import type { Engine } from '../engine.ts'
import { listingOf } from '../metadata/stored-meta.ts'

/** Counts what is stored, from the rows of the sessions. */
export function createUsageMethod({ resolveKey }: Engine, backend: StorageBackend): Pick<SessionStore, 'usage'> {
  return {
    usage: async (key, options) => {
      const largest = checkLargest(options)
      const { counted, unreadable } = await (key === undefined
        ? allRows(backend)
        : rowsOf(backend, await resolveKey(key)))
      const { blobBytes, draftBytes, kinds, originBytes, quotaBytes } = await backend.usage()
      const sum = (of: (hot: HotRow) => number): number => counted.reduce((total, hot) => total + of(hot), 0)
      const [entries, entryBytes] = [sum((hot) => hot.entries), sum((hot) => hot.bytes)]
      return {
        sessions: counted.length,
        entries,
        entryBytes,
        blobBytes,
        draftBytes,
        kinds: {
          ...kinds,
          entries: { count: entries, bytes: entryBytes },
          blobs: { ...kinds?.blobs, bytes: blobBytes },
          drafts: { ...kinds?.drafts, bytes: draftBytes },
        },
        largest: counted
          .toSorted((a, b) => b.bytes - a.bytes || (a.key < b.key ? -1 : 1))
          .slice(0, largest)
          .map(usageOf),
        collections: key === undefined ? await backend.listCollections() : [],
        unreadable,
        reclaimable: reclaimableOf(counted),
        ...(originBytes === undefined ? {} : { originBytes }),
        ...(quotaBytes === undefined ? {} : { quotaBytes }),
      }
    },
  }
}

interface CountedRows {
  readonly counted: readonly HotRow[]
  /** Keys of sessions with an unreadable row. */
  readonly unreadable: readonly string[]
}

async function allRows(backend: StorageBackend): Promise<CountedRows> {
  const unreadable: string[] = []
  const counted = await backend.listSessions((key) => unreadable.push(key))
  return { counted, unreadable }
}

/** The row of one session, without reading those of the others. */
async function rowsOf(backend: StorageBackend, key: string): Promise<CountedRows> {
  try {
    const rows = await backend.loadSession(key)
    return { counted: rows === undefined ? [] : [rows.hot], unreadable: [] }
  } catch (error) {
    if (!isSessionError(error, 'ChecksumMismatch')) throw error
    // The row with the counts may be readable nevertheless.
    const { counted, unreadable } = await allRows(backend)
    return { counted: counted.filter((hot) => hot.key === key), unreadable: unreadable.filter((one) => one === key) }
  }
}

/** The options may be anything, from a port or an untyped caller. */
function checkLargest(options: unknown): number {
  let largest: unknown
  try {
    largest = (options as { readonly largest?: unknown } | null | undefined)?.largest ?? 20
  } catch (error) {
    throw new SessionError(
      'InvalidInput',
      'largest could not be read: its getter or Proxy threw (see cause). Pass plain data.',
      { cause: error },
    )
  }
  if (typeof largest === 'number' && largest >= 0) return largest
  throw new SessionError(
    'InvalidInput',
    `largest must be the number of sessions to list, got ${describeValue(largest)}.`,
  )
}

function usageOf(hot: HotRow): SessionUsage {
  const { key, title, updatedAt, archived, tags, deletedAt } = listingOf(hot)
  return {
    key,
    title,
    bytes: hot.bytes,
    entries: hot.entries,
    updatedAt,
    archived,
    tags: [...tags],
    ...(deletedAt === undefined ? {} : { deletedAt }),
  }
}
