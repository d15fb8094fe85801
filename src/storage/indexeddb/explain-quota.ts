import type { NoticeChange, SpaceReport } from '../../contract/change.ts'
import { isSessionError, SessionError } from '../../contract/errors.ts'
import type { HotRow } from '../../contract/rows.ts'
import type { WriteBatch } from '../../contract/write-batch.ts'
import { chunkBytes } from '../draft-bytes.ts'
import { reclaimableOf } from '../find-reclaimable.ts'
import { readOriginUsage } from './usage.ts'

/** Explains what would free space when there is no more room. */
export interface QuotaExplainer {
  /** A write was stored, so that the next lack of space is announced again. */
  stored(): void
  /** @returns the error; for QuotaExceeded one that names the space that was needed, and how to free some */
  explain(error: unknown, neededBytes: number): Promise<unknown>
}

/** Counts only after a write failed, and once for all that fail after it. */
export function createQuotaExplainer(
  listSessions: () => Promise<readonly HotRow[]>,
  notify: (notice: Omit<NoticeChange, 'type'>) => void,
): QuotaExplainer {
  let looking: Promise<SpaceReport> | undefined

  async function look(): Promise<SpaceReport> {
    const [rows, origin] = await Promise.all([listSessions().catch(() => []), readOriginUsage()])
    // Encrypted rows can't be counted here, but `usage()` can do it.
    return rows.some((row) => 'sealed' in row) ? origin : { ...origin, reclaimable: reclaimableOf(rows) }
  }

  return {
    stored: () => {
      looking = undefined
    },
    explain: async (error, neededBytes) => {
      if (!isSessionError(error, 'QuotaExceeded')) return error
      const isNews = looking === undefined
      looking ??= look()
      const space = { ...(await looking), neededBytes }
      const message = `${error.message} ${spaceAdvice(space)}`
      if (isNews) notify({ name: 'spaceLow', message, space })
      return new SessionError('QuotaExceeded', message, { cause: error.cause })
    },
  }
}

/** About how many bytes a batch adds. */
export function bytesOf({ sessions, rows }: WriteBatch): number {
  const ops = rows?.ops ?? []
  const rowBytes = ops.reduce((sum, op) => sum + (op.type === 'delete' ? 0 : op.row.size), 0)
  return sessions.reduce((sum, { append, insert, drafts }) => {
    const entries = [...append, ...insert].flatMap((lane) => lane.entries)
    const texts = drafts.map((draft) => ('chunk' in draft ? chunkBytes(draft.chunk) : 0))
    return entries.reduce((total, { bytes }) => total + bytes, 0) + texts.reduce((total, length) => total + length, sum)
  }, rowBytes)
}

function spaceAdvice({ neededBytes = 0, originBytes, quotaBytes, reclaimable }: SpaceReport): string {
  const room =
    originBytes === undefined || quotaBytes === undefined
      ? ''
      : `; the browser counts ${sizeOf(originBytes)} of ${sizeOf(quotaBytes)}`
  const ways = [
    ['purging deleted sessions', reclaimable?.deleted.bytes],
    ['compacting', reclaimable?.hiddenBytes],
    ['exporting and purging archived sessions', reclaimable?.archived.bytes],
  ] as const
  const help = ways.flatMap(([way, bytes = 0]) => (bytes > 0 ? [`${way} (up to ${sizeOf(bytes)})`] : []))
  return `It needed about ${sizeOf(neededBytes)}${room}. ${help.length === 0 ? 'usage() lists what is large.' : `What would help: ${help.join(', ')}.`}`
}

const sizeOf = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
