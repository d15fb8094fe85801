import type { HotRow, StoredEntry } from '../contract/rows.ts'
import { automaticTitle } from './title.ts'
import { rowMessage } from './view-state.ts'

/**
 * Takes the title of a session from a visible row, if that is a user's message before the one that gave the title so
 * far.
 */
export function proposeTitle(hot: { auto?: HotRow['auto'] }, row: StoredEntry): void {
  if (hot.auto !== undefined && hot.auto.order <= row.order) return
  const message = rowMessage(row)
  const title = message?.role === 'user' ? automaticTitle(message) : ''
  if (title !== '') hot.auto = { order: row.order, title }
}
