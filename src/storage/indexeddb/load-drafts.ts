import type { StoredDraft } from '../../contract/backend.ts'
import type { DraftChunk } from '../../contract/change.ts'
import type { DraftRow } from '../../contract/rows.ts'
import { draftRowPlace } from './keys.ts'
import type { ReadSteps } from './transaction.ts'

/** {@link StorageBackend.loadDrafts}: rows sort before their chunks, chunks by their number. */
export function loadDrafts({ store, read, answer }: ReadSteps<readonly StoredDraft[]>, range: IDBKeyRange): void {
  let keys: readonly IDBValidKey[] = []
  read(store('drafts').getAllKeys(range), (found) => {
    keys = found
  })
  read<unknown[]>(store('drafts').getAll(range), (values) => {
    const drafts: { row: DraftRow; chunks: { n: number; chunk: DraftChunk }[] }[] = []
    values.forEach((value, i) => {
      const [, draft, n] = keys[i] as [session: number, draft: string, n: number]
      const open = drafts.at(-1)
      if (n === draftRowPlace) drafts.push({ row: value as DraftRow, chunks: [] })
      // A chunk whose row is gone belongs to a draft that has ended.
      else if (open?.row.id === draft) open.chunks.push({ n, chunk: value as DraftChunk })
    })
    answer(drafts)
  })
}
