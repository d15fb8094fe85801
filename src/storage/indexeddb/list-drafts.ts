import type { DraftRow } from '../../contract/draft-row.ts'
import { isRow } from './load-drafts.ts'
import { draftRowPlace } from './record-keys.ts'
import type { ReadSteps } from './transaction.ts'
import { unlessLost } from './unless-lost.ts'

/**
 * {@link CoreBackend.listDrafts}: only the keys of the chunks are read, which are few. Unreadable drafts are left out.
 */
export function listDrafts({ store, read, attempt, answer }: ReadSteps<readonly DraftRow[]>): void {
  read(store('drafts').getAllKeys(), (keys) => {
    const rows: DraftRow[] = []
    const places = (keys as [session: number, draft: string, n: number][]).filter(([, , n]) => n === draftRowPlace)
    let waiting = places.length
    if (waiting === 0) return answer(rows)
    for (const place of places) {
      const take = (row: unknown): void => {
        if (isRow(row, place[1])) rows.push(row)
        waiting--
        if (waiting === 0) answer(rows)
      }
      attempt<unknown>(
        store('drafts').get(place),
        take,
        unlessLost(() => take(undefined)),
      )
    }
  })
}
