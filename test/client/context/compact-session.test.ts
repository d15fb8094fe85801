import { describe, expect, it } from 'vitest'
import { compactSession } from '../../../src/client/context/compact-session.ts'
import type { CompactionProgress, CompactOptions, SummaryRequest } from '../../../src/client/context/context-types.ts'
import { readContext } from '../../../src/client/context/read-context.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createDevice, say, send, texts, turns, watchReads } from './support/stores.ts'

const one = (): number => 1
/** Says what it was made of. */
const summarise = ({ messages, previousSummary }: SummaryRequest): string =>
  `${previousSummary}${texts(messages).join(' ')};`
const compact = (store: SessionStore, options: Partial<CompactOptions> = {}) =>
  compactSession({ store, key: 's' }, { summarise, force: true, keepTurns: 2, ...options })
const context = async (store: SessionStore) => texts((await readContext(store, 's', { system: 'apart' })).messages)
const first = async (store: SessionStore) => (await store.read('s', { after: '', limit: 1 })).entries[0]!
const everything = async (store: SessionStore) => [await readContext(store, 's'), await store.changes('s')]

/** A session of 25 turns that costs so many tokens by ai-panel's estimate. */
async function costing(tokens: number) {
  const { store } = createDevice()
  const messages = turns(0, 25)
  const filling =
    tokens - messages.reduce((sum, { content }) => sum + Math.floor(((content as string).length + 2) / 4), 0) + 1
  // Two quotes and `q0` are the first token.
  await say(store, [{ role: 'user', content: `q0${'x'.repeat((filling - 1) * 4)}` }, ...messages.slice(1)])
  expect((await readContext(store, 's')).tokens.total).toBe(tokens)
  return store
}

describe('a compaction', () => {
  it('is not needed at 80,000 tokens, and changes nothing', async () => {
    const store = await costing(80_000)
    const before = await everything(store)
    expect(await compactSession({ store, key: 's' }, { summarise: () => expect.unreachable() })).toEqual({
      status: 'unneeded',
    })
    expect(await everything(store)).toEqual(before)
  })

  it('is made at 80,001 tokens, and keeps the last 20 turns', async () => {
    const store = await costing(80_001)
    const requests: SummaryRequest[] = []
    const outcome = await compactSession(
      { store, key: 's' },
      { summarise: (request) => (requests.push(request), 'They met.') },
    )
    expect(requests).toMatchObject([
      { instruction: '请将以下对话历史压缩为简洁摘要，保留关键信息', previousSummary: '', signal: { aborted: false } },
    ])
    expect(texts(requests[0]!.messages).slice(1)).toEqual(texts(turns(0, 5)).slice(1))
    expect(await context(store)).toEqual(texts(turns(5, 25)))
    const after = await readContext(store, 's')
    const kept = (await store.read('s', { view: 'context', after: '', limit: 1 })).entries[0]!
    expect(outcome).toEqual({
      status: 'compacted',
      id: after.compaction,
      summary: 'They met.',
      firstKeptEntryId: kept.id,
      tokensBefore: 80_001,
      tokensAfter: after.tokens.total,
      messages: 10,
    })
    const stored = (await store.changes('s')).entries.find(({ type }) => type === 'compaction')!
    expect(stored.data).toMatchObject({
      summary: 'They met.',
      tokensBefore: 80_001,
      tokensAfter: after.tokens.total,
      details: { firstKeptEntryId: kept.id, messages: 10 },
    })
    expect((await store.getMeta('s'))?.messageCount).toBe(50)
  })

  it('has nothing to do in a session that is unknown or has no older turns', async () => {
    const { store } = createDevice()
    expect(await compact(store)).toEqual({ status: 'nothing' })
    expect((await store.listSessions()).total).toBe(0)
    await say(store, turns(0, 2))
    expect(await compact(store)).toEqual({ status: 'nothing' })
    expect(await compact(store, { keepTurns: 1 })).toMatchObject({ status: 'compacted' })
  })

  it('can be made of what an earlier one put in front', async () => {
    const { store } = createDevice()
    await say(store, turns(0, 4))
    await store.setCompaction('s', { summary: '', messages: turns(0, 2), keepLast: 4 })
    const outcome = await compact(store, { keepTurns: 3 })
    expect(await context(store)).toEqual(texts(turns(1, 4)))
    const after = await readContext(store, 's')
    expect(outcome).toMatchObject({
      status: 'compacted',
      summary: 'q0 a0;',
      messages: 2,
      tokensAfter: after.tokens.total,
    })
    expect(after).toMatchObject({ summary: 'q0 a0;' })
  })

  it('counts as it is told to', async () => {
    const { store } = createDevice()
    await say(store, turns(0, 5))
    await store.updateMeta('s', { memo: { a: 1 } })
    expect(await compact(store, { force: false, threshold: 11, countTokens: one })).toEqual({ status: 'unneeded' })
    expect(await compact(store, { force: false, threshold: 10, countTokens: one })).toMatchObject({
      status: 'compacted',
      tokensBefore: 11,
      tokensAfter: 5,
    })
  })

  it('carries on what stood before, and what the one before it kept', async () => {
    const { store } = createDevice()
    await say(store, turns(0, 4))
    expect(await compact(store)).toMatchObject({ summary: 'q0 a0 q1 a1;' })
    await say(store, turns(4, 6))
    expect(await compact(store)).toMatchObject({ summary: 'q0 a0 q1 a1;q2 a2 q3 a3;', messages: 4 })
    expect(await context(store)).toEqual(texts(turns(4, 6)))
  })

  it('summarises what a resize put in front', async () => {
    const { store } = createDevice()
    await say(store, turns(0, 2))
    await store.setCompaction('s', { summary: '', messages: [{ role: 'user', content: 'In short.' }], keepLast: 0 })
    await say(store, turns(2, 5))
    expect(await compact(store)).toMatchObject({ summary: 'In short. q2 a2;' })
    expect(await context(store)).toEqual(texts(turns(3, 5)))
  })

  it('keeps the system messages the line begins with, time and again', async () => {
    const { store } = createDevice()
    await say(store, [{ role: 'system', content: 'Be kind.' }, ...turns(0, 4)])
    expect(await compact(store)).toMatchObject({ summary: 'q0 a0 q1 a1;' })
    await say(store, turns(4, 5))
    expect(await compact(store)).toMatchObject({ summary: 'q0 a0 q1 a1;q2 a2;' })
    expect(await context(store)).toEqual(['Be kind.', ...texts(turns(3, 5))])
    expect(await compact(store)).toEqual({ status: 'nothing' })
  })

  it('leaves calls and results whole on both sides', async () => {
    const { store } = createDevice()
    const call = {
      role: 'assistant',
      content: 'call',
      tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }],
    }
    const result = { role: 'tool', tool_call_id: 'a', content: 'result' }
    await say(store, [
      { role: 'user', content: 'q' },
      call,
      { role: 'user', content: 'q' },
      call,
      result,
      { role: 'assistant', content: 'a' },
      { role: 'user', content: 'now' },
      call,
      result,
    ])
    expect(await compact(store, { keepTurns: 1 })).toMatchObject({ summary: 'q q call result a;' })
    expect(await context(store)).toEqual(['now', 'call', 'result'])
  })

  it('may split a turn, never a call from its result', async () => {
    const { store } = createDevice()
    const call = { role: 'assistant', content: 'call', tool_calls: [{ id: 'a' }] }
    const [, , , , kept] = await say(store, [
      { role: 'user', content: 'q' },
      call,
      { role: 'tool', tool_call_id: 'a', content: 'r1' },
      call,
      { role: 'tool', tool_call_id: 'a', content: 'r2' },
      { role: 'assistant', content: 'a' },
    ])
    expect(kept).toBeDefined()
    expect(await compact(store, { keepTokens: 2, countTokens: one })).toMatchObject({ summary: 'q call r1 call r2;' })
    expect(await context(store)).toEqual(['a'])
    expect((await store.changes('s')).entries.find(({ type }) => type === 'compaction')?.data).toMatchObject({
      details: { isSplit: true },
    })
  })

  it('tells how far it is', async () => {
    const { store } = createDevice()
    await say(store, turns(0, 3))
    const progress: CompactionProgress[] = []
    await compact(store, { countTokens: one, onProgress: (step) => progress.push(step) })
    expect(progress).toEqual([
      { phase: 'waiting' },
      { phase: 'reading' },
      { phase: 'summarising', messages: 2, tokensBefore: 6 },
      { phase: 'storing', messages: 2, tokensBefore: 6 },
    ])
  })
})

describe('what comes while the summary is made', () => {
  it('stays in the context', async () => {
    const { store } = createDevice()
    await say(store, turns(0, 4))
    const outcome = await compact(store, {
      summarise: async (request) => {
        await say(store, turns(4, 6))
        return summarise(request)
      },
    })
    expect(outcome).toMatchObject({ summary: 'q0 a0 q1 a1;' })
    expect(await context(store)).toEqual(texts(turns(2, 6)))
  })

  it('stays in the context although it sorts before what is kept', async () => {
    const [here, there] = [createDevice(), createDevice()]
    await say(here.store, turns(0, 2))
    await send(here.store, there.store)
    here.at += 10_000
    await say(here.store, turns(2, 4))
    // Said on the other device before the last turns here, and heard of only now.
    await say(there.store, [{ role: 'user', content: 'late' }])
    await compact(here.store, {
      summarise: async (request) => {
        await send(there.store, here.store)
        return summarise(request)
      },
    })
    expect(await here.store.getSummary('s')).toBe('q0 a0 q1 a1;')
    expect(await context(here.store)).toEqual(['late', ...texts(turns(2, 4))])
    // Nothing comes back when that is summarised in its turn.
    await compact(here.store)
    expect([await here.store.getSummary('s'), await context(here.store)]).toEqual([
      'q0 a0 q1 a1;late;',
      texts(turns(2, 4)),
    ])
  })

  it('stays in the context when it came to a part that was read already', async () => {
    const [here, there] = [createDevice(), createDevice()]
    await say(here.store, turns(0, 2))
    await send(here.store, there.store)
    here.at += 10_000
    await say(here.store, turns(2, 400))
    await say(there.store, [{ role: 'user', content: 'late' }])
    there.at += 100_000
    await say(there.store, turns(400, 410))
    const meanwhile = watchReads(
      here.store,
      async (_, { after, limit = 0 }, n) =>
        void (after === '' && limit > 100 && n < 3 && (await send(there.store, here.store))),
    )
    await compact(meanwhile, { keepTurns: 3 })
    const summary = await here.store.getSummary('s')
    expect([summary.includes(' late '), (await context(here.store)).includes('late')].filter(Boolean)).toHaveLength(1)
  })

  it('does not put the compaction on another line', async () => {
    const { store } = createDevice()
    const entries = await say(store, turns(0, 4))
    await compact(store, {
      summarise: async (request) => {
        await store.openBranch('s', { after: entries[7]! })
        await say(store, turns(4, 5))
        return summarise(request)
      },
    })
    expect([await store.getSummary('s'), await context(store)]).toEqual(['', texts(turns(0, 5))])
    await store.switchBranch('s', '')
    expect([await store.getSummary('s'), await context(store)]).toEqual(['q0 a0 q1 a1;', texts(turns(2, 4))])
  })

  it.each<[string, (store: SessionStore) => Promise<unknown>]>([
    ['another compaction', (store) => store.setCompaction('s', { summary: 'other', keepLast: 3 })],
    ['another summary', (store) => store.setSummary('s', 'other')],
    ['a clearing', (store) => store.setHistory('s', [])],
    ['a truncation', (store) => store.truncateHistory('s', 4)],
    ['a truncation within what is summarised', (store) => store.truncateHistory('s', 5)],
    ['the removal of a message', async (store) => store.remove('s', await first(store))],
    [
      'the edit of a message',
      async (store) => store.edit('s', await first(store), { role: 'user', content: 'edited' }),
    ],
    ['another summary', (store) => store.setSummary('s', 'other')],
    ['a purge', (store) => store.purge('s')],
  ])('supersedes it when it is %s', async (_, act) => {
    const { store } = createDevice()
    await say(store, turns(0, 4))
    let before: unknown
    const outcome = await compact(store, {
      summarise: async (request) => {
        await act(store)
        before = await everything(store)
        return summarise(request)
      },
    })
    expect(outcome).toEqual({ status: 'superseded' })
    expect(await everything(store)).toEqual(before)
  })

  it.each<[string, (store: SessionStore) => Promise<unknown>]>([
    ['a clearing', (store) => store.setHistory('s', [])],
    ['a purge', (store) => store.purge('s')],
    ['a deletion', (store) => store.delete('s')],
    ['the removal of a message', async (store) => store.remove('s', await first(store))],
  ])('supersedes it when %s comes just before it is stored', async (_, act) => {
    const { store } = createDevice()
    await say(store, turns(0, 4))
    const late: SessionStore = {
      ...store,
      setCompaction: async (...args) => (await act(store), store.setCompaction(...args)),
    }
    expect(await compact(late)).toEqual({ status: 'superseded' })
    expect(await store.getSummary('s')).toBe('')
  })

  it('supersedes it when it deletes the branch', async () => {
    const { store } = createDevice()
    const entries = await say(store, turns(0, 4))
    const { id } = await store.openBranch('s', { after: entries.at(-1)! })
    expect(await compact(store, { summarise: async () => (await store.deleteBranch('s', id), 'x') })).toEqual({
      status: 'superseded',
    })
  })

  it('leaves as many messages in the context as come from elsewhere, wherever they stand', async () => {
    const { store } = createDevice()
    const other = createDevice(1_600_000_000_000)
    await say(store, turns(0, 4))
    await say(other.store, turns(10, 60))
    expect(await compact(store, { summarise: async () => (await send(other.store, store), 'S') })).toMatchObject({
      status: 'compacted',
    })
    expect((await context(store)).toSorted()).toEqual([...texts(turns(10, 60)), ...texts(turns(2, 4))].toSorted())
  })

  it('supersedes it when it comes at the last moment', async () => {
    const { store } = createDevice()
    await say(store, turns(0, 4))
    const late: SessionStore = {
      ...store,
      setCompaction: async (...args) => {
        await store.setCompaction('s', { summary: 'other', keepLast: 3 })
        return store.setCompaction(...args)
      },
    }
    expect(await compact(late)).toEqual({ status: 'superseded' })
    expect(await store.getSummary('s')).toBe('other')
  })
})

describe('a compaction that fails', () => {
  const failing: [string, Partial<CompactOptions>, object][] = [
    [
      'its summariser throws',
      {
        summarise: () => {
          throw new RangeError('no model')
        },
      },
      { name: 'RangeError', message: 'no model' },
    ],
    [
      'its summariser rejects',
      { summarise: () => Promise.reject(new RangeError('no model')) },
      { name: 'RangeError', message: 'no model' },
    ],
    ['its summariser gives no text', { summarise: () => 5 as never }, { name: 'TypeError' }],
    [
      'its summariser never settles',
      { summarise: () => new Promise(() => undefined), timeoutMs: 20 },
      { name: 'Aborted', message: expect.stringContaining('20 ms') },
    ],
    ['its signal fired before', { signal: AbortSignal.abort() }, { name: 'Aborted' }],
    ['its counter gives nonsense', { countTokens: () => Number.NaN }, { name: 'TypeError' }],
    ['it has no summariser', { summarise: undefined as never }, { name: 'TypeError' }],
    ['it is to keep no turn', { keepTurns: 0 }, { name: 'InvalidInput' }],
    ['it is to keep half a turn', { keepTurns: 1.5 }, { name: 'InvalidInput' }],
    ['it is to keep no tokens', { keepTokens: 0 }, { name: 'InvalidInput' }],
    ['its threshold is no number', { threshold: Number.NaN }, { name: 'InvalidInput' }],
    ['its time is no number', { timeoutMs: Number.NaN }, { name: 'InvalidInput' }],
    [
      'its listener throws',
      {
        onProgress: ({ phase }) => {
          if (phase === 'storing') throw new RangeError('broken')
        },
      },
      { name: 'RangeError' },
    ],
  ]
  it.each(failing)('because %s changes nothing, and the next one works', async (_, options, error) => {
    const { store } = createDevice()
    await say(store, turns(0, 4))
    const before = await everything(store)
    await expect(compact(store, options)).rejects.toMatchObject(error)
    expect(await everything(store)).toEqual(before)
    expect(await compact(store)).toMatchObject({ status: 'compacted' })
  })

  it.each(['', ' \n '])('because its summary is blank changes nothing (%j)', async (summary) => {
    const { store } = createDevice()
    await say(store, turns(0, 4))
    const before = await everything(store)
    expect(await compact(store, { summarise: () => summary })).toEqual({ status: 'empty' })
    expect(await everything(store)).toEqual(before)
  })

  it('ends with its signal, and tells the summariser', async () => {
    const { store } = createDevice()
    await say(store, turns(0, 4))
    const ending = new AbortController()
    let told: AbortSignal | undefined
    const outcome = compact(store, {
      signal: ending.signal,
      summarise: ({ signal }) => {
        told = signal
        ending.abort(new Error('enough'))
        return new Promise((_, reject) => reject(signal.reason))
      },
    })
    await expect(outcome).rejects.toMatchObject({ name: 'Aborted', cause: { message: 'enough' } })
    expect(told?.aborted).toBe(true)
  })

  it('because the session was deleted meanwhile leaves it deleted', async () => {
    const { store } = createDevice()
    await say(store, turns(0, 4))
    const outcome = await compact(store, { summarise: async () => (await store.delete('s'), 'x') })
    expect(outcome).toEqual({ status: 'superseded' })
    expect((await store.getMeta('s'))?.deletedAt).toBeDefined()
  })
})

describe('compactions of one session at once', () => {
  it('are made one after the other, and give one summary in effect', async () => {
    const { store } = createDevice()
    await say(store, turns(0, 6))
    let running = 0
    const slow = async (request: SummaryRequest): Promise<string> => {
      running += 1
      expect(running).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 5))
      running -= 1
      return summarise(request)
    }
    const outcomes = await Promise.all([1, 2, 3].map(() => compact(store, { summarise: slow })))
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['compacted', 'superseded', 'superseded'])
    expect((await store.changes('s')).entries.filter(({ type }) => type === 'compaction')).toHaveLength(1)
  })

  it('go on when the one before failed, or gave up waiting', async () => {
    const { store } = createDevice()
    await say(store, turns(0, 6))
    const ending = new AbortController()
    const first = compact(store, { summarise: () => new Promise(() => undefined), timeoutMs: 30 })
    const second = compact(store, { signal: ending.signal })
    const third = compact(store)
    setTimeout(() => ending.abort(), 10)
    await expect(second).rejects.toMatchObject({ name: 'Aborted' })
    await expect(first).rejects.toMatchObject({ name: 'Aborted' })
    expect(await third).toMatchObject({ status: 'compacted' })
  })

  it('do not wait for those of other sessions', async () => {
    const { store } = createDevice()
    await say(store, turns(0, 6))
    await say(store, turns(0, 6), 'other')
    await compact(store, {
      summarise: async () => (await compactSession({ store, key: 'other' }, { summarise, force: true }), 'x'),
    })
    expect(await store.getSummary('s')).toBe('x')
  })
})
