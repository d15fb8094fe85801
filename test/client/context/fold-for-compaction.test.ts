import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkedCounter } from '../../../src/client/context/checked-counter.ts'
import { compactSession } from '../../../src/client/context/compact-session.ts'
import { foldForCompaction } from '../../../src/client/context/fold-for-compaction.ts'
import type { EntryView } from '../../../src/contract/entry.ts'
import type { Message } from '../../../src/contract/message.ts'
import { modelMessage } from '../../../src/domain/context/model-message.ts'
import { pairToolCalls } from '../../../src/domain/context/pair-tool-calls.ts'
import { planCompaction } from '../../../src/domain/context/plan-compaction.ts'
import { contextFingerprint } from '../../../src/domain/context-fingerprint.ts'
import { coveringVector } from '../../../src/domain/covering-vector.ts'
import { createDevice, say, texts, turns } from './support/stores.ts'

const kinds: Readonly<Record<string, (i: number) => Message>> = {
  system: (i) => ({ role: 'system', content: `s${i}` }),
  user: (i) => ({ role: 'user', content: `q${i}` }),
  'user in parts': (i) => ({ role: 'user', content: [{ type: 'text', text: `q${i}` }] }),
  assistant: (i) => ({ role: 'assistant', content: `a${i}` }),
  call: (i) => ({
    role: 'assistant',
    content: '',
    tool_calls: [{ id: `c${i % 3}`, type: 'function', function: { name: 'f', arguments: '{}' } }],
  }),
  result: (i) => ({ role: 'tool', tool_call_id: `c${i % 3}`, content: `r${i}` }),
  'user with a result': (i) => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: `c${i % 3}`, content: 'r' }],
  }),
}
const anyKind = fc.oneof(
  { weight: 4, arbitrary: fc.constant('user') },
  { weight: 6, arbitrary: fc.constantFrom(...Object.keys(kinds)) },
)
const entriesOf = (messages: readonly Message[]): EntryView[] =>
  messages.map(
    (message, i) =>
      ({
        id: `w${i % 2}.${i.toString(36)}`,
        branch: '',
        order: `${i}`,
        type: i % 7 === 6 ? 'model_change' : 'message',
        ...(i % 7 === 6 ? { data: {} } : { message }),
      }) as unknown as EntryView,
  )

/** What the whole gives, all of it held at once. */
function planned(
  entries: readonly EntryView[],
  carried: readonly Message[],
  keep: Parameters<typeof planCompaction>[2],
): unknown {
  const plan = planCompaction(entries, carried, keep)
  if (plan === undefined) return undefined
  const { firstKept, ...rest } = plan
  const before = entries.slice(0, firstKept)
  return {
    ...rest,
    first: entries[firstKept],
    covers: coveringVector(before),
    fingerprint: contextFingerprint({ summary: 'before', messages: carried }, before),
  }
}

describe('a line that is taken in page by page', () => {
  it('is compacted as it is when all of it is held', () => {
    fc.assert(
      fc.property(
        fc.array(anyKind, { maxLength: 60 }),
        fc.array(anyKind, { maxLength: 4 }),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 9 }),
        (said, front, kept, byTokens, page) => {
          const entries = entriesOf(said.map((kind, i) => kinds[kind]!(i)))
          const carried = front.map((kind, i) => kinds[kind]!(i + 100))
          const countTokens = checkedCounter(() => 2)
          const keep = byTokens ? { tokens: kept, countTokens } : { turns: kept }
          const fold = foldForCompaction({ summary: 'before', messages: carried }, keep, countTokens, 3)
          for (let at = 0; at < entries.length; at += page) fold.add(entries.slice(at, at + page))
          expect(fold.tokens()).toBe(
            2 * pairToolCalls([...carried, ...entries.flatMap((entry) => modelMessage(entry) ?? [])]).length,
          )
          const { firstKept: _, ...plan } = fold.plan() ?? { firstKept: 0 }
          expect(Object.keys(plan).length === 0 ? undefined : plan).toEqual(planned(entries, carried, keep))
        },
      ),
      { numRuns: 2000 },
    )
  })

  it.each([
    ['turns', { turns: 20 }],
    ['tokens', { tokens: 40, countTokens: checkedCounter(() => 1) }],
  ] as const)('holds no more of its entries than what stays, and a page, however long it is (%s)', (_, keep) => {
    const fold = foldForCompaction(
      { summary: '' },
      keep,
      checkedCounter(() => 1),
    )
    let most = 0
    for (let page = 0; page < 100; page++) {
      fold.add(entriesOf(turns(page * 256, page * 256 + 256)))
      most = Math.max(most, fold.held())
    }
    expect(most).toBeLessThan(1024)
    expect(fold.plan()?.summarised.length).toBeGreaterThan(40_000)
  })

  it('is looked through few times, also where nothing of it may go', () => {
    let counted = 0
    const keep = { tokens: 1e9, countTokens: () => (counted++, 1) }
    const fold = foldForCompaction(
      { summary: '' },
      keep,
      checkedCounter(() => 1),
    )
    for (let page = 0; page < 64; page++) fold.add(entriesOf(turns(page * 256, page * 256 + 256)))
    expect(counted).toBeLessThan(3 * 64 * 512)
  })
})

describe('a compaction of a long line', () => {
  it('gives the summariser every message once, and keeps the newest turns', async () => {
    const { store } = createDevice()
    for (let from = 0; from < 3000; from += 500) await say(store, turns(from, from + 500))
    let summarised: readonly unknown[] = []
    const outcome = await compactSession(
      { store, key: 's' },
      { force: true, summarise: ({ messages }) => ((summarised = texts(messages)), 'sum') },
    )
    expect(summarised).toEqual(texts(turns(0, 2980)))
    expect(outcome).toMatchObject({ status: 'compacted', messages: 5960 })
    expect(texts(await store.getHistory('s'))).toEqual(texts(turns(2980, 3000)))
  })
})
