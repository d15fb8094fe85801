import type { RowRange, RowWrite } from '../contract/store/collections.ts'
import type { SessionStore } from '../contract/store/session-store.ts'

export const put = (key: string, value: unknown): RowWrite => ({ type: 'put', key, value: value as never })
export const insert = (key: string, value: unknown): RowWrite => ({
  type: 'insertIfAbsent',
  key,
  value: value as never,
})
export const drop = (key: string): RowWrite => ({ type: 'delete', key })

/** Every row of a range of collection `c`, page by page. */
export async function allRows(store: SessionStore, range: RowRange = {}): Promise<[key: string, value: unknown][]> {
  const found: [string, unknown][] = []
  for (let after: string | undefined; ; ) {
    const page = await store.listRows('c', { ...range, ...(after === undefined ? {} : { after }) })
    for (const { key, value } of page.rows) found.push([key, value])
    if (page.next === undefined) return found
    after = page.next
  }
}
