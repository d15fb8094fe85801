import type { DraftRow } from '../../contract/rows.ts'
import { draftRowPlace } from './keys.ts'
import type { ReadSteps } from './transaction.ts'

/** {@link CoreBackend.listDrafts}: of the chunks only their keys are read, of which there are few. */
export function listDrafts({ store, read, answer }: ReadSteps<readonly DraftRow[]>): void {
  read(store('drafts').getAllKeys(), (keys) => {
    const rows: DraftRow[] = []
    const places = keys.filter((key) => (key as IDBValidKey[])[2] === draftRowPlace)
    if (places.length === 0) return answer(rows)
    places.forEach((place) =>
      read<DraftRow>(store('drafts').get(place), (row) => {
        rows.push(row)
        if (rows.length === places.length) answer(rows)
      }),
    )
  })
}
