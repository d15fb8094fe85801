import type { Collection } from '../../client/collection.ts'
import type { RowWrite } from '../../contract/store/collections.ts'
import { dyingKey, liveKey, threadPrefixes } from './saver-keys.ts'

/** How many rows one commit of a collection may change. */
const mostRowWrites = 4096

/** How many rows are read at once to learn their keys: their values come along. */
const pageSize = 64

const removal = (key: string): RowWrite => ({ type: 'delete', key })

/**
 * Deletes all rows of a thread: in one commit, or in several if they are more than a commit may have. The first of
 * several marks the thread, and nobody sees any of it from then on; whoever meets the mark
 * continues the work.
 *
 * When it resolves, nothing is left of what was put before the call. Of a checkpoint that is put meanwhile, all or
 * nothing is left: the rows are looked at again after they were deleted.
 */
export async function removeThread(collection: Collection, thread: string): Promise<void> {
  for (let isMarked = false; ; ) {
    const keys = await someKeys(collection, thread)
    if (keys.length === 0) return
    if (keys.length > mostRowWrites && !isMarked) {
      await collection.write([{ type: 'put', key: dyingKey(thread), value: true }, removal(liveKey(thread))])
      isMarked = true
    }
    await collection.write(keys.slice(0, mostRowWrites).map(removal))
  }
}

/** Deletes what is left of a thread whose deletion broke off. */
export async function finishRemoval(collection: Collection, thread: string): Promise<void> {
  if ((await collection.get(dyingKey(thread))) !== undefined) await removeThread(collection, thread)
}

/** Keys of rows that a thread has: one more than a commit may have, or fewer if there are fewer. The mark is last. */
async function someKeys(collection: Collection, thread: string): Promise<readonly string[]> {
  const keys: string[] = []
  for (const prefix of threadPrefixes(thread)) {
    let after: string | undefined
    do {
      // What can't be read goes as well.
      const page = await collection.range({ prefix, limit: pageSize, ...(after !== undefined && { after }) })
      for (const { key } of page.rows) keys.push(key)
      for (const key of page.unreadable ?? []) keys.push(key)
      after = page.next
    } while (after !== undefined && keys.length <= mostRowWrites)
  }
  const marks = [liveKey(thread), dyingKey(thread)]
  const found = await collection.getAll(marks)
  return [...keys, ...marks.filter((_, i) => found[i] !== undefined)]
}
