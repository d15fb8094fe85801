import { expect, it } from 'vitest'
import type { Message } from '../../src/contract/message.ts'
import { createContextManagers } from '../../src/dialects/chat/create-context-managers.ts'
import type { ContextManagerParts, ShrinkReason, ShrinkRequest } from '../../src/dialects/picoclaw/context-manager.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'

const key = 'k'

/**
 * The default manager over a session of so many turns; each message counts as one token, and so does the system text.
 */
async function setUp(turns: number, parts: Omit<Partial<ContextManagerParts>, 'store'> = { summarise: () => 'S' }) {
  const store = createSessionStore(createMemoryBackend())
  const { name, manager } = await createContextManagers().create(undefined, { store, countTokens: () => 1, ...parts })
  const messages = Array.from({ length: turns }, (_, i): Message[] => [
    { role: 'user', content: `u${i}` },
    { role: 'assistant', content: `a${i}` },
  ]).flat()
  await store.append(
    key,
    messages.map((message) => ({ type: 'message', message })),
  )
  const shrink = (reason: ShrinkReason, contextWindow: number, more: Partial<ShrinkRequest> = {}) =>
    manager.shrink({ key, reason, contextWindow, maxTokens: 10, ...more })
  const seen = async (contextWindow = 1000) => {
    const { summary, messages: all, system } = await manager.assemble({ key, contextWindow, maxTokens: 10 })
    const shown = all.slice(system === '' ? 0 : 1)
    return [summary, shown.length, shown[0]?.content]
  }
  return { store, name, manager, shrink, seen }
}

it('is the default', async () => {
  expect((await setUp(1)).name).toBe('compaction')
  expect(createContextManagers().names()).toEqual(['compaction', 'memo', 'picoclaw'])
})

it('leaves whole turns out that the window has no room for beside the reply', async () => {
  const { seen } = await setUp(10)
  expect(await seen(30)).toEqual(['', 20, 'u0'])
  expect(await seen(29)).toEqual(['', 18, 'u1'])
  // What is asked is never missing.
  expect(await seen(5)).toEqual(['', 1, 'u9'])
})

it('keeps 20 turns once the window is full', async () => {
  const { shrink, seen } = await setUp(25)
  expect(await shrink('summarise', 60)).toBe(false)
  expect(await shrink('summarise', 59)).toBe(true)
  expect(await seen()).toEqual(['S', 40, 'u5'])
})

it('keeps 20 turns above 80,000 tokens, however large the window is', async () => {
  const { shrink } = await setUp(25, { summarise: () => 'S', countTokens: () => 1601 })
  expect(await shrink('summarise', 1_000_000)).toBe(true)
  const { shrink: less } = await setUp(25, { summarise: () => 'S', countTokens: () => 1600 })
  expect(await less('summarise', 1_000_000)).toBe(false)
})

it('keeps half of what there is room for when a request does not fit', async () => {
  const { shrink, seen } = await setUp(10)
  expect(await shrink('proactive-budget', 30)).toBe(false)
  expect(await shrink('proactive-budget', 30, { tools: [{ name: 'f' }, { name: 'g' }] })).toBe(true)
  expect(await seen()).toEqual(['S', 9, 'a5'])
})

it('keeps half of what there is room for when a model has refused more than that', async () => {
  const { shrink, seen } = await setUp(10)
  expect(await shrink('model-refused', 26)).toBe(true)
  expect(await seen()).toEqual(['S', 8, 'u6'])
})

it('keeps half of what was sent when a model refuses what there is room for', async () => {
  const { shrink, seen } = await setUp(10)
  expect(await shrink('model-refused', 1000)).toBe(true)
  expect(await seen()).toEqual(['S', 10, 'u5'])
})

it('makes nothing smaller without a model', async () => {
  const { shrink, seen } = await setUp(25, {})
  expect(await shrink('model-refused', 20)).toBe(false)
  expect((await seen())[1]).toBe(50)
})

it('makes what an earlier compaction put in front smaller', async () => {
  for (const [reason, contextWindow, expected] of [
    ['summarise', 59, ['S', 40, 'u10']],
    ['proactive-budget', 50, ['S', 20, 'u20']],
    ['model-refused', 1000, ['S', 30, 'u15']],
  ] as const) {
    const { store, shrink, seen } = await setUp(30)
    const all = await store.getHistory(key)
    await store.setCompaction(key, { summary: 'old', messages: all.slice(0, 56), keepLast: 4 })
    expect(await seen()).toEqual(['old', 60, 'u0'])
    expect(await shrink(reason, contextWindow)).toBe(true)
    expect(await seen()).toEqual(expected)
  }
})

it('changes nothing when the model fails', async () => {
  const { shrink, seen } = await setUp(25, { summarise: () => Promise.reject(new Error('out of order')) })
  await expect(shrink('summarise', 59)).rejects.toThrow('out of order')
  expect((await seen())[1]).toBe(50)
})

it('counts it as smaller when a run in the background was faster', async () => {
  let answer: (summary: string) => void = () => undefined
  const { shrink, seen } = await setUp(25, { summarise: () => new Promise((resolve) => (answer = resolve)) })
  const background = shrink('summarise', 59)
  const refused = shrink('model-refused', 59)
  await new Promise((resolve) => setTimeout(resolve, 20))
  answer('S')
  expect(await Promise.all([background, refused])).toEqual([true, true])
  expect(await seen()).toEqual(['S', 40, 'u5'])
})

it('clears history and summary', async () => {
  const { shrink, seen, manager } = await setUp(25)
  await shrink('summarise', 59)
  await manager.clear(key)
  expect(await seen()).toEqual(['', 0, undefined])
})
