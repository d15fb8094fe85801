import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import type { Conversation, ConversationNode } from '../../src/formats/conversation/conversation.ts'
import { soundNodes } from '../../src/formats/conversation/sound-nodes.ts'
import { type StoredConversation, storeConversation } from '../../src/formats/conversation/store-conversation.ts'
import { createBreather } from '../../src/pacing/breather.ts'
import { everything, lines, openStore, said } from './support/foreign-exports.ts'

const node = (id: string, parentId: string | null, role = 'user', text = id): ConversationNode => ({
  id,
  parentId,
  type: 'message',
  at: 0,
  data: { message: { role, content: text } },
})
const conversation = (nodes: readonly ConversationNode[], more: Partial<Conversation> = {}): Conversation => ({
  dialect: 'chatgpt',
  sourceId: 's',
  nodes,
  ...more,
})
const key = 'chatgpt:s'

interface Taken {
  readonly stored: StoredConversation | undefined
  readonly skipped: readonly string[]
  readonly leftDeleted: readonly string[]
}

async function take(store: SessionStore, what: Conversation): Promise<Taken> {
  const skipped: string[] = []
  const leftDeleted: string[] = []
  const stored = await storeConversation(what, {
    store,
    breathe: createBreather(),
    signal: undefined,
    skip: (reason) => void skipped.push(reason),
    leaveDeleted: (key) => void leftDeleted.push(key),
  })
  return { stored, skipped, leftDeleted }
}

const four = [node('a', null), node('b', 'a', 'assistant'), node('c', 'b'), node('d', 'c', 'assistant')]

describe('a conversation that is stored', () => {
  it('hangs what had nothing to keep from what is above it', async () => {
    const store = openStore()
    const { data: _, ...empty } = node('b', 'a')
    await take(store, conversation([node('a', null), empty, node('c', 'b', 'assistant')]))
    expect(await lines(store, key)).toEqual([['user: a', 'assistant: c']])
  })

  it('takes no longer for many nodes that hang from a long gap', async () => {
    const store = openStore()
    const gap = Array.from(
      { length: 30_000 },
      (_, i): ConversationNode => ({ id: `g${i}`, parentId: i === 0 ? null : `g${i - 1}`, type: 'message', at: 0 }),
    )
    const leaves = Array.from({ length: 300 }, (_, i) => node(`l${i}`, 'g29999'))
    const walked = vi.spyOn(Map.prototype, 'get')
    for (const _ of soundNodes(conversation([...gap, ...leaves]), () => {}));
    const steps = walked.mock.calls.length
    walked.mockRestore()
    expect(steps).toBeLessThan(300_000)
    expect((await take(store, conversation([...gap, ...leaves]))).stored).toMatchObject({ added: 300 })
  })

  it('survives parents that are missing, go round in circles or are the node itself', async () => {
    const gap = (id: string, parentId: string): ConversationNode => ({ id, parentId, type: 'message', at: 0 })
    const store = openStore()
    const { stored, skipped } = await take(
      store,
      conversation([
        node('a', 'b'),
        node('b', 'a'),
        node('c', 'c'),
        node('d', 'nobody'),
        node('__proto__', null),
        node('', 'a'),
        gap('x', 'y'),
        gap('y', 'x'),
        node('z', 'x'),
      ]),
    )
    expect(stored).toMatchObject({ added: 7 })
    expect(skipped).toEqual([])
    expect((await lines(store, key)).flat()).toEqual(
      expect.arrayContaining(['user: a', 'user: b', 'user: c', 'user: d', 'user: __proto__', 'user: ']),
    )
    expect((await store.verify()).problems).toEqual([])
  })

  it('has the first of two nodes with one id, and says so when they differ', async () => {
    const store = openStore()
    const { skipped } = await take(
      store,
      conversation([node('a', null), node('b', 'a'), node('b', 'a'), node('b', 'a', 'user', 'other')]),
    )
    expect(await said(store, key)).toEqual(['user: a', 'user: b'])
    expect(skipped).toEqual(['entry "b": its id is used twice, and the first one counts'])
  })

  it('leaves out what no entry can hold, and keeps what hangs from it', async () => {
    const store = openStore()
    let deep: unknown = 1
    for (let i = 0; i < 400; i++) deep = [deep]
    const bad = [
      { role: '' },
      { role: 'user', content: 5 },
      { role: 'user', content: Number.NaN },
      { role: 'user', content: 'x', deep },
      JSON.parse('{"role":"user","content":"x","__proto__":{"a":1}}'),
    ]
    const { skipped } = await take(
      store,
      conversation([
        node('a', null),
        ...bad.map((message, i) => ({ ...node(`bad${i}`, i === 0 ? 'a' : `bad${i - 1}`), data: { message } })),
        node('z', 'bad4', 'assistant'),
      ]),
    )
    expect(await lines(store, key)).toEqual([['user: a', 'assistant: z']])
    expect(skipped).toHaveLength(bad.length)
  })

  it('has no lone surrogates and no times that are none', async () => {
    const store = openStore()
    await take(
      store,
      conversation([{ ...node('\ud800', null, 'user', 'x\udfff'), at: Number.NaN }], {
        sourceId: 's',
        title: 'T\ud83d',
        createdAt: Number.NaN,
        updatedAt: Number.POSITIVE_INFINITY,
      }),
    )
    expect(await said(store, key)).toEqual(['user: x\ufffd'])
    expect(await store.getMeta(key)).toMatchObject({ title: 'T\ufffd' })
    expect((await store.verify()).problems).toEqual([])
  })

  it.each(['../x', '__proto__', 'a/b:c', ' ', 'agent:main:main', 'x'.repeat(5000), '\ud800'])(
    'has a key made of any id (%#)',
    async (sourceId) => {
      const store = openStore()
      await store.addMessage(sourceId, 'user', 'of somebody else').catch(() => undefined)
      const { stored } = await take(store, conversation(four, { sourceId }))
      expect(stored?.key).toBe(`chatgpt:${sourceId.replace('\ud800', '\ufffd')}`)
      expect(await said(store, stored!.key)).toHaveLength(4)
      expect(Object.prototype).not.toHaveProperty('chatgpt')
    },
  )

  it('never takes a name away from a session that is here', async () => {
    const store = openStore()
    await store.addMessage('agent:x:telegram:1', 'user', 'mine')
    await take(store, conversation(four, { sourceId: 'agent:x:telegram:1' }))
    expect(await said(store, 'agent:x:telegram:1')).toEqual(['user: mine'])
  })

  it('is left out without a message', async () => {
    const store = openStore()
    expect(await take(store, conversation([]))).toEqual({
      stored: undefined,
      leftDeleted: [],
      skipped: ['it contains no message'],
    })
    expect((await store.listSessions()).total).toBe(0)
  })
})

describe('what was done here since', () => {
  it('stays: what was edited, removed, removed and reclaimed, and the line that was chosen', async () => {
    const store = openStore()
    const tree = conversation([...four, node('e', 'b')], { current: 'd' })
    await take(store, tree)
    await store.edit(key, { mid: 'd' }, { role: 'assistant', content: 'better' })
    await store.remove(key, { mid: 'b' })
    const [main] = (await store.listBranches(key)).filter(({ isHead }) => !isHead)
    await store.switchBranch(key, main!.id)
    const before = await everything(store)
    expect((await take(store, tree)).stored).toMatchObject({ added: 0, known: 5 })
    expect(await everything(store)).toEqual(before)
    // With what says that it was removed.
    expect(await store.reclaim(key)).toBe(2)
    const after = await everything(store)
    expect((await take(store, tree)).stored).toMatchObject({ added: 0, known: 5 })
    expect(await everything(store)).toEqual(after)
  })

  it('stays also when the conversation grew below what was reclaimed', async () => {
    const store = openStore()
    await take(store, conversation(four))
    await store.remove(key, { mid: 'd' })
    await store.reclaim(key)
    expect((await take(store, conversation([...four, node('e', 'd')]))).stored).toMatchObject({ added: 1, known: 4 })
    expect(await said(store, key)).toEqual(['user: a', 'assistant: b', 'user: c', 'user: e'])
  })

  it('stays also when the whole session was deleted, and that is reported', async () => {
    const store = openStore()
    await take(store, conversation(four))
    await store.delete(key)
    const again = await take(store, conversation([...four, node('e', 'd')]))
    expect(again).toEqual({ stored: undefined, skipped: [], leftDeleted: [key] })
    expect((await store.getMeta(key))?.deletedAt).toBeDefined()
  })
})

/** Trees as lists: each node hangs from an earlier one, or from none, and stands anywhere in the source. */
const trees = fc
  .array(
    fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom('user', 'assistant', 'tool'), fc.boolean()),
    { minLength: 1, maxLength: 14 },
  )
  .map((drawn) =>
    drawn.map(([where, role, isRoot], i) =>
      node(`n${i}`, i === 0 || (isRoot && where > 0.8) ? null : `n${Math.min(i - 1, Math.floor(where * i))}`, role),
    ),
  )

/** The texts of the way to each leaf of the source. */
function ways(nodes: readonly ConversationNode[]): string[][] {
  const byId = new Map(nodes.map((one) => [one.id, one]))
  const parents = new Set(nodes.map(({ parentId }) => parentId))
  return nodes
    .filter(({ id }) => !parents.has(id))
    .map(({ id }) => {
      const way: string[] = []
      for (let at = byId.get(id); at !== undefined; at = at.parentId === null ? undefined : byId.get(at.parentId))
        way.unshift(`${(at.data!['message'] as { role: string }).role}: ${at.id}`)
      return way
    })
}

const sorted = (lists: readonly (readonly string[])[]): string[] => lists.map((list) => list.join(' | ')).sort()

describe('any tree', () => {
  it('has each way through it as a line, the current one as head', async () => {
    await fc.assert(
      fc.asyncProperty(trees, fc.nat(), async (nodes, pick) => {
        const store = openStore()
        const leaves = ways(nodes)
        const way = leaves[pick % leaves.length]!
        await take(store, conversation(nodes, { current: way.at(-1)!.split(': ')[1]! }))
        const shown = await lines(store, key)
        expect(shown[0]).toEqual(way)
        // Main is empty where its first root opened no line.
        expect(sorted(shown.filter((line) => line.length > 0))).toEqual(sorted(leaves))
      }),
      { numRuns: 40 },
    )
  })

  it('adds nothing the second time, and two devices that read it have the same', async () => {
    await fc.assert(
      fc.asyncProperty(trees, async (nodes) => {
        const [here, there] = [openStore(), openStore(() => Date.UTC(2031, 0, 1))]
        const tree = conversation(nodes, { title: 'T', createdAt: 5, updatedAt: 9 })
        expect((await take(here, tree)).stored).toMatchObject({ added: nodes.length, known: 0 })
        await take(there, structuredClone(tree))
        const before = await everything(here)
        expect(await everything(there)).toEqual(before)
        expect((await take(here, tree)).stored).toMatchObject({ added: 0, known: nodes.length })
        const { entries } = await there.changes(key)
        expect(await here.merge(key, entries)).toMatchObject({ added: 0, refused: [] })
        expect(await everything(here)).toEqual(before)
      }),
      { numRuns: 40 },
    )
  })

  it('shows the same as if it had come at once, wherever in the source it grew', async () => {
    await fc.assert(
      fc.asyncProperty(trees, fc.nat(14), fc.nat(14), fc.boolean(), async (nodes, first, second, isReversed) => {
        const [grown, whole] = [openStore(), openStore()]
        const order = (list: readonly ConversationNode[]): ConversationNode[] =>
          isReversed ? [...list].reverse() : [...list]
        let added = 0
        for (const count of [Math.min(first, second), Math.max(first, second), nodes.length]) {
          const part = nodes.slice(0, Math.max(1, count))
          added += (await take(grown, conversation(order(part), { current: part.at(-1)!.id, updatedAt: part.length })))
            .stored!.added
        }
        expect(added).toBe(nodes.length)
        await take(whole, conversation(order(nodes), { current: nodes.at(-1)!.id, updatedAt: nodes.length }))
        const [one, other] = [await lines(grown, key), await lines(whole, key)]
        expect(one[0]).toEqual(other[0])
        const leaves = sorted(ways(nodes))
        // A line that ended where the source showed it may stay as a branch; every way of the source is there.
        for (const line of leaves) expect(sorted(one)).toContain(line)
        for (const line of leaves) expect(sorted(other)).toContain(line)
        expect((await grown.verify()).problems).toEqual([])
      }),
      { numRuns: 40 },
    )
  })
})
