import type { StorageBackend } from '../../../contract/backend.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { valueOfRow } from '../../../domain/row-value.ts'
import type { Engine } from '../engine.ts'
import { createProblemList } from './problem-list.ts'

/** How many rows are in memory at a time. A row may have 8 MiB. */
const pageSize = 16

/** The check of all rows of collections. */
export function createRowsCheck(
  { onChange }: Pick<Engine, 'onChange'>,
  backend: StorageBackend,
): Pick<SessionStore, 'checkRows'> {
  return {
    checkRows: async ({ repair = false } = {}) => {
      const problems = createProblemList()
      let [rows, repaired] = [0, 0]
      for (const { name } of await backend.listCollections()) {
        const aside: string[] = []
        for (let from = ''; ; ) {
          const page = await backend.rangeRows({ collection: name, from, reverse: false, limit: pageSize })
          rows += page.rows.length
          for (const { key, row } of page.rows) {
            if (valueOfRow(row) !== undefined) continue
            problems.add({
              key: name,
              kind: 'collection',
              at: key,
              message: `The value of row "${key}" can't be read.`,
            })
            if (repair && (await backend.setRowAside(name, key))) aside.push(key)
          }
          if (!page.more) break
          from = `${page.rows.at(-1)!.key}\0`
        }
        repaired += aside.length
        if (aside.length > 0) onChange({ type: 'collection', collection: name, keys: aside })
      }
      return { rows, repaired, ...problems.report() }
    },
  }
}
