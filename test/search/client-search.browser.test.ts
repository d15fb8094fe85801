import { expect, it } from 'vitest'
import type { StoreMode } from '../../src/client/open-options.ts'
import { openSessionStore } from '../../src/client/opening/open-session-store.ts'
import { openDirectStore } from '../../src/in-page/open-direct-store.ts'

const say = (content: string) => ({ type: 'message', message: { role: 'user', content } }) as const

it.each(['worker', 'inline-worker', 'in-page', 'web-storage', 'memory'] as const satisfies readonly StoreMode[])(
  'a client searches where its store is %s',
  async (mode) => {
    localStorage.clear()
    const store = await openSessionStore({ name: `search-${crypto.randomUUID()}`, modes: [mode] })
    await store.store.append('k', [say('one'), say('two foxes'), say('three')])
    const [hit] = await store.search('fox')
    expect(hit).toMatchObject({ key: 'k', title: 'one', line: '', snippet: { text: 'two foxes', matches: [[4, 9]] } })
    expect(
      (await store.store.read('k', { branch: hit!.line, before: hit!.order })).entries.map(
        ({ message }) => message?.content,
      ),
    ).toEqual(['one'])
    await store.store.append('k', [say('a wolf')])
    expect(await store.search('wolf')).toHaveLength(1)
    await store.delete('k')
    expect(await store.search('wolf')).toEqual([])
    await store.close()
    await expect(store.search('wolf')).rejects.toMatchObject({ name: 'StorageClosed' })
  },
)

it('a client that was opened directly searches in this realm', async () => {
  const store = await openDirectStore({ name: `search-${crypto.randomUUID()}`, modes: ['in-page'] })
  await store.store.append('k', [say('two foxes')])
  expect(await store.search('fox')).toHaveLength(1)
  await store.close()
})

it('a client that was closed before its first search searches nothing', async () => {
  const store = await openSessionStore({ name: `search-${crypto.randomUUID()}` })
  await store.close()
  await expect(store.search('fox')).rejects.toMatchObject({ name: 'StorageClosed' })
})
