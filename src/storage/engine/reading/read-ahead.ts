import type { CoreBackend } from '../../../contract/backend.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import type { Line } from '../../../domain/line.ts'
import { type LineRead, type LineRows, readLine } from './session-reader.ts'

/** How long a page that was read ahead is kept. */
const keptMs = 1000

/** A page that was read before it was requested. */
interface Ahead {
  readonly place: string
  readonly page: Promise<LineRows>
}

export type ReadPage = (rows: SessionRows, line: Line, read: LineRead) => Promise<LineRows>

/**
 * Reads pages of lines. When a line is read from its start, the next page is fetched while the one before is
 * transferred and used. Otherwise storage would be idle for half of the time. One page is kept, for one version of the
 * session.
 */
export function createPageReader(backend: CoreBackend): ReadPage {
  let ahead: Ahead | undefined
  let expiry: ReturnType<typeof setTimeout> | undefined

  const fetchAhead = (rows: SessionRows, line: Line, read: LineRead, page: LineRows): void => {
    const last = page.rows.at(-1)
    if (!page.more || last === undefined) return
    const next = { ...read, from: last.order }
    const own: Ahead = { place: placeOf(rows, line, next), page: readLine(backend, rows, line, next) }
    // An error is thrown when the page is requested.
    own.page.catch(() => undefined)
    ahead = own
    clearTimeout(expiry)
    expiry = setTimeout(() => (ahead = undefined), keptMs)
  }

  return async (rows, line, read) => {
    const known = ahead?.place === placeOf(rows, line, read) ? ahead.page : undefined
    if (known !== undefined) ahead = undefined
    const page = await (known ?? readLine(backend, rows, line, read))
    if (read.direction === 'forward' && (known !== undefined || read.from === '')) fetchAhead(rows, line, read, page)
    return page
  }
}

/** Everything that determines the content of a page. */
function placeOf({ hot }: SessionRows, line: Line, { view, direction, from, limit }: LineRead): string {
  return JSON.stringify([hot.session, hot.version, line.branch, view, direction, from, limit])
}
