import type { StoredEntry } from '../contract/rows.ts'
import { rowMessage } from '../domain/view-state.ts'
import type { Breather } from '../pacing/breather.ts'
import type { Index } from './create-index.ts'
import { searchText } from './search-text.ts'
import type { SearchDocument } from './segment.ts'

/** A batch is put into the index when it has this many texts, or this many characters: a few milliseconds of work. */
const batchCount = 256
const batchLength = 128 * 1024

/** Messages on their way into an index. */
export interface DocumentBatch {
  add(row: StoredEntry, session: number): Promise<void>
  /** Adds the messages that still wait for a full batch. */
  flush(): Promise<void>
}

export function createDocumentBatch(index: Index, breathe: Breather): DocumentBatch {
  let batch: SearchDocument[] = []
  let length = 0

  async function flush(): Promise<void> {
    // A batch that fails stays, so that it does not count as indexed.
    if (batch.length > 0) await index.add(batch, breathe)
    batch = []
    length = 0
  }

  return {
    flush,
    add: async (row, session) => {
      const text = searchText(rowMessage(row))
      if (text === '') return
      batch.push({
        session,
        branch: row.branch,
        order: row.order,
        edit: row.edit?.id ?? '',
        at: row.at,
        role: rowMessage(row)?.role ?? '',
        text,
      })
      length += text.length
      if (batch.length < batchCount && length < batchLength) return
      await flush()
      await breathe()
    },
  }
}
