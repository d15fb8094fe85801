import { expect, it } from 'vitest'
import type { StoreMode } from '../../src/client/open-options.ts'
import { openSessionStore } from '../../src/client/opening/open-session-store.ts'
import { openDirectStore } from '../../src/in-page/open-direct-store.ts'

const say = (content: string) => ({ type: 'message', message: { role: 'user', content } }) as const

it.each(['worker', 'inline-worker', 'in-page', 'web-storage', 'memory'] as const satisfies readonly StoreMode[])(
  'a client searches where its store is %s',
  async (mode) => {
    localStorage.clear()
    const client = await openSessionStore({ name: `search-${crypto.randomUUID()}`, modes: [mode] })
    await client.store.append('k', [say('one'), say('two foxes'), say('three')])
    const [hit] = await client.search('fox')
    expect(hit).toMatchObject({ key: 'k', title: 'one', line: '', snippet: { text: 'two foxes', matches: [[4, 9]] } })
    expect(
      (await client.store.read('k', { branch: hit!.line, before: hit!.order })).entries.map(
        ({ message }) => message?.content,
      ),
    ).toEqual(['one'])
    await client.store.append('k', [say('a wolf')])
    expect(await client.search('wolf')).toHaveLength(1)
    await client.delete('k')
    expect(await client.search('wolf')).toEqual([])
    await client.close()
    await expect(client.search('wolf')).rejects.toMatchObject({ name: 'StorageClosed' })
  },
)

it('a client that was opened directly searches in this realm', async () => {
  const client = await openDirectStore({ name: `search-${crypto.randomUUID()}`, modes: ['in-page'] })
  await client.store.append('k', [say('two foxes')])
  expect(await client.search('fox')).toHaveLength(1)
  await client.close()
})

it('a client that was closed before its first search searches nothing', async () => {
  const client = await openSessionStore({ name: `search-${crypto.randomUUID()}` })
  await client.close()
  await expect(client.search('fox')).rejects.toMatchObject({ name: 'StorageClosed' })
})
