import type { Collection } from '../../client/collection.ts'
import type { CollectionRow, RowPage, RowRange } from '../../contract/store/collections.ts'
import { damaged } from './byte-record.ts'

/** One page of rows. @throws ChecksumMismatch when one of them can't be read */
export async function readPage(collection: Collection, range: RowRange): Promise<RowPage> {
  const page = await collection.range(range)
  if (page.unreadable !== undefined) throw damaged(page.unreadable[0]!, "can't be read")
  return page
}

/** The rows of a range, read page by page as they are asked for. @throws ChecksumMismatch */
export async function* readRows(collection: Collection, range: RowRange): AsyncGenerator<CollectionRow, void> {
  for (let next: RowRange | undefined = range; next !== undefined; ) {
    const page: RowPage = await readPage(collection, next)
    yield* page.rows
    next = page.next === undefined ? undefined : { ...range, after: page.next }
  }
}
