import { expect, it } from 'vitest'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

const entry = { type: 'message', message: { role: 'user', content: 'text' } } as const

/** How many entries an append adds that restarts a session with this many branches and checkpoints. */
async function costOfRestart(many: number, restarts = 1): Promise<number> {
  const backend = createMemoryBackend()
  const store = createSessionStore(backend)
  const count = async (): Promise<number> => (await backend.loadSession('s'))!.hot.entries
  const { entries } = await store.append('s', [entry])
  for (let i = 0; i < many; i++) {
    await store.openBranch('s', { after: entries[0]!, head: false })
    await store.checkpoint('s')
  }
  let before = 0
  for (let i = 0; i < restarts; i++) {
    await store.delete('s')
    before = await count()
    await store.append('s', [entry])
    expect([await store.listBranches('s'), await store.listCheckpoints('s')]).toMatchObject([[{ id: '' }], []])
  }
  expect((await store.verify('s')).problems).toEqual([])
  return (await count()) - before
}

it('a restart of a session stores as many entries for a hundred branches as for one', async () => {
  expect(await costOfRestart(100)).toBe(await costOfRestart(1))
})

it('another restart stores nothing of branches that are deleted already', async () => {
  expect(await costOfRestart(3, 2)).toBe((await costOfRestart(3)) - 1)
})

it('a restart removes the name of the main line', async () => {
  const store = createSessionStore(createMemoryBackend())
  await store.append('s', [entry])
  await store.updateBranch('s', '', { name: 'first try' })
  await store.delete('s')
  await store.append('s', [entry])
  expect((await store.listBranches('s'))[0]?.name).toBeUndefined()
})
