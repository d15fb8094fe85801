import type { SessionStore } from '../../contract/store/session-store.ts'

/** How many rows are moved in one transaction. */
const pageSize = 100

/**
 * Moves the rows of all collections into another store. They replace rows under the same keys, because the store that
 * they come from is used only where the other can't be opened. A row is removed once the other store has it.
 */
export async function moveRows(from: SessionStore, target: SessionStore): Promise<void> {
  for (const { name } of await from.listCollections()) {
    for (let after: string | undefined; ; ) {
      const { rows, next } = await from.listRows(name, { limit: pageSize, ...(after === undefined ? {} : { after }) })
      await target.writeRows(
        name,
        rows.map((row) => ({ type: 'put', ...row })),
        { durability: 'strict' },
      )
      await from.writeRows(
        name,
        rows.map(({ key }) => ({ type: 'delete', key })),
      )
      if (next === undefined) break
      after = next
    }
  }
}
