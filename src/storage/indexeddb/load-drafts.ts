import type { StoredDraft } from '../../contract/backend.ts'
import type { DraftChunk } from '../../contract/change.ts'
import type { DraftRow } from '../../contract/draft-row.ts'
import { readValues } from './read-keyed-values.ts'
import { draftRowPlace } from './record-keys.ts'
import type { ReadSteps } from './transaction.ts'

/**
 * {@link StorageBackend.loadDrafts}: a row sorts before its chunks, and chunks sort by number. Unreadable ones are left
 * out.
 */
export function loadDrafts(steps: ReadSteps<readonly StoredDraft[]>, range: IDBKeyRange): void {
  readValues(steps, 'drafts', range, (found) => {
    const drafts: { row: DraftRow; chunks: { n: number; chunk: DraftChunk }[] }[] = []
    for (const { key, value } of found) {
      const [, draft, n] = key as [session: number, draft: string, n: number]
      const open = drafts.at(-1)
      if (n === draftRowPlace) {
        if (isRow(value, draft)) drafts.push({ row: value, chunks: [] })
      }
      // A chunk whose row is gone belongs to a draft that has ended.
      else if (open?.row.id === draft && isChunk(value)) open.chunks.push({ n, chunk: value })
    }
    steps.answer(drafts)
  })
}

/** Whether a stored value is the row of this draft. */
export function isRow(value: unknown, id: string): value is DraftRow {
  const row = value as Partial<DraftRow> | null | undefined
  return row?.id === id && typeof row.role === 'string' && typeof row.branch === 'string'
}

/** Whether a stored value has the fields of a chunk that readers rely on. */
export function isChunk(value: unknown): value is DraftChunk {
  if (typeof value !== 'object' || value === null) return false
  const { text = '', reasoning = '' } = value as Partial<DraftChunk>
  return typeof text === 'string' && typeof reasoning === 'string'
}
