import { describe, expect, it } from 'vitest'
import type { Entry } from '../../src/contract/entry.ts'
import { importTree } from '../../src/domain/import-tree.ts'
import { openSearch } from './support/open-search.ts'

/** The first messages of a file, as entries of a writer that only this state of it has. */
function state(file: string, count: number): readonly Entry[] {
  const texts = ['apple', 'banana', 'cherry']
  return importTree(
    file,
    texts
      .slice(0, count)
      .map((content, i) => ({
        id: `id ${i}`,
        parentId: i === 0 ? null : `id ${i - 1}`,
        type: 'message',
        data: { message: { role: 'user', content } },
        at: 1_000 + i,
      })),
  )
}

// Whose copy comes first is drawn from a hash.
describe.each(['a', 'b', 'c', 'd', 'e', 'f'])('copies of a row that several imports of file "%s" brought', (file) => {
  it('are found as the one message that is shown', async () => {
    const { store, search } = openSearch()
    await store.merge('k', state(file, 2))
    await store.merge('k', state(file, 3))
    const [, banana] = (await store.read('k')).entries
    expect((await search('banana')).map(({ order }) => order)).toEqual([banana!.order])
  })

  it('are found no more once the message is removed, and by what it says since it was edited', async () => {
    const { store, search } = openSearch()
    await store.merge('k', state(file, 2))
    const [apple, banana] = (await store.read('k')).entries
    await store.edit('k', apple!, { role: 'user', content: 'apricot' })
    await store.remove('k', banana!)
    await store.merge('k', state(file, 3))
    const [shown] = (await store.read('k')).entries
    expect([await search('banana'), await search('apple')]).toEqual([[], []])
    expect((await search('apricot')).map(({ order }) => order)).toEqual([shown!.order])
  })
})
