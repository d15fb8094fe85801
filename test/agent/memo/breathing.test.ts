import { expect, it, vi } from 'vitest'
import { readContext } from '../../../src/client/context/read-context.ts'
import { createMemoSession } from '../../../src/dialects/agently/create-memo-session.ts'
import { lookAtSession } from '../../../src/dialects/agently/memo/look-at-session.ts'
import { user } from '../../../src/testing/helpers.ts'
import { memoryStore } from '../support/memory-store.ts'

const pauses = vi.hoisted(() => ({ offered: 0 }))
vi.mock('../../../src/pacing/breather.ts', async (load) => ({
  ...(await load<typeof import('../../../src/pacing/breather.ts')>()),
  createBreather: () => () => void pauses.offered++,
}))
vi.mock('../../../src/dialects/agently/memo/look-at-session.ts', async (load) => {
  const real = await load<typeof import('../../../src/dialects/agently/memo/look-at-session.ts')>()
  return { ...real, lookAtSession: vi.fn(real.lookAtSession) }
})

const size = 8192
async function filled() {
  const store = memoryStore()
  for (let from = 0; from < size; from += 4096)
    await store.append(
      's',
      Array.from({ length: 4096 }, (_, i) => ({ type: 'message', message: user(`u${from + i}`) })),
    )
  pauses.offered = 0
  return { store, key: 's' }
}

it('a look at a long session lets the page breathe', async () => {
  expect(await createMemoSession(await filled()).currentHistory()).toHaveLength(size)
  // Over what a model gets, and over the line.
  expect(pauses.offered).toBeGreaterThanOrEqual((2 * size) / 512)
})

it('the default policy judges a long session page by page, and holds none of it', async () => {
  const session = createMemoSession(await filled())
  vi.mocked(lookAtSession).mockClear()
  expect(await session.judgeResize()).toMatchObject({ type: 'deep' })
  expect(lookAtSession).not.toHaveBeenCalled()
})

it('a resize lets the page breathe while it adds up what it hides', async () => {
  const session = createMemoSession(await filled())
  await session.setLimit({ messages: 2 })
  await session.currentHistory()
  const before = pauses.offered
  pauses.offered = 0
  expect(await session.resize()).toHaveLength(2)
  // Besides the look, over the fingerprint and over the vector.
  expect(pauses.offered).toBeGreaterThanOrEqual(before + (2 * size) / 512 - 2)
})

it('a memo that is updated lets the page breathe between the messages', async () => {
  const session = createMemoSession({ ...(await filled()), memoUpdateHandler: () => ({ known: true }) })
  await session.useMemo()
  await session.resize('lite')
  expect(pauses.offered).toBeGreaterThanOrEqual(size)
})

it('a context without a limit lets the page breathe', async () => {
  const { store, key } = await filled()
  expect((await readContext(store, key)).messages).toHaveLength(size)
  expect(pauses.offered).toBeGreaterThanOrEqual(size / 512)
})
