import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createDraftJournal, type DraftJournal } from '../../src/client/session/draft-journal.ts'
import type { DraftChunk, DraftPart } from '../../src/contract/change.ts'
import { SessionError } from '../../src/contract/errors.ts'
import { joinParts, partsOfChunk, textOfParts } from '../../src/domain/join-parts.ts'

beforeEach(
  () =>
    void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] }),
)
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const text = (piece: string): DraftPart => ({ type: 'text', text: piece })
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** A journal whose writes take a while, and what of it is stored by now. */
function createJournal(takes = 0, fail: (n: number) => Error | undefined = () => undefined) {
  const stored: { n: number; chunk: DraftChunk; begun: number; at: number }[] = []
  let underWay = 0
  let most = 0
  const journal = createDraftJournal(async (n, chunk) => {
    const begun = performance.now()
    most = Math.max(most, ++underWay)
    if (takes > 0) await new Promise((resolve) => setTimeout(resolve, takes))
    underWay--
    const error = fail(n)
    if (error !== undefined) throw error
    stored.push({ n, chunk, begun, at: performance.now() })
  }, 0)
  const parts = (): DraftPart[] => {
    const all: DraftPart[] = []
    for (const { chunk } of stored) joinParts(all, partsOfChunk(chunk))
    return all
  }
  return { journal, stored, parts, text: () => textOfParts(parts(), 'text'), most: () => most }
}

/** Writes 100 pieces a second. @returns the longest that a piece was not stored yet, in ms */
async function speak(journal: DraftJournal, stored: () => string, ms: number): Promise<number> {
  const said: number[] = []
  let worst = 0
  for (let t = 0; t < ms; t += 10) {
    journal.add(text('x'))
    said.push(performance.now())
    await pass(10)
    const oldest = said[stored().length]
    if (oldest !== undefined) worst = Math.max(worst, performance.now() - oldest)
  }
  return worst
}

it('journals the first piece at once', async () => {
  const { journal, text: stored } = createJournal()
  journal.add(text('first'))
  await pass(0)
  expect(stored()).toBe('first')
  await journal.stop()
})

it.each([
  ['nothing', 0, 160],
  ['20 ms', 20, 180],
  ['100 ms', 100, 250],
  // Nothing can be quicker than the write itself: what comes while one is under way goes with the next.
  ['300 ms', 300, 610],
])(
  'has never more than a quarter of a second missing when a write takes %s, or two writes when those take longer',
  async (_, takes, most) => {
    const { journal, text: stored, most: underWay } = createJournal(takes)
    expect(await speak(journal, stored, 5000)).toBeLessThanOrEqual(most)
    expect(underWay()).toBe(1)
    const stopping = journal.stop()
    await pass(takes)
    await stopping
  },
)

it('writes at most once in 150 ms', async () => {
  const { journal, stored, text: all } = createJournal()
  await speak(journal, all, 3000)
  expect(stored.length).toBeLessThanOrEqual(21)
  await journal.stop()
})

it('writes each character once, in pieces of bounded size, however many there are', async () => {
  const { journal, stored, text: all } = createJournal()
  const said = Array.from({ length: 50_000 }, (_, i) => `piece ${i} of 20 chars `.slice(-20).padEnd(20, '.'))
  for (const piece of said) journal.add(text(piece))
  await pass(1000)
  expect(all()).toBe(said.join(''))
  const sizes = stored.map(({ chunk }) => JSON.stringify(chunk).length)
  expect(Math.max(...sizes)).toBeLessThan(33_000)
  expect(stored.length).toBe(Math.ceil((said.length * 20) / 32_768))
  expect(stored.map(({ n }) => n)).toEqual(stored.map((_, i) => i))
  await journal.stop()
})

it('never stores half of a character', async () => {
  const { journal, stored, parts } = createJournal()
  const [high, low] = ['👋'.slice(0, 1), '👋'.slice(1)]
  journal.add(text(`a${high}`))
  await pass(200)
  expect(stored.map(({ chunk }) => chunk)).toEqual([{ text: 'a' }])
  journal.add(text(`${low}b`))
  await pass(200)
  journal.add({ type: 'toolInput', id: 'c', name: 'f', input: `"${high}` })
  await pass(200)
  journal.add({ type: 'toolInput', id: 'c', input: `${low}"` })
  await pass(200)
  // 32,768 characters end in the midst of one.
  journal.add(text(`x${'👋'.repeat(40_000)}`))
  await pass(500)
  for (const { chunk } of stored) expect(JSON.stringify(chunk)).not.toMatch(/\\ud[89ab]/)
  expect(parts()).toEqual([
    text('a👋b'),
    { type: 'toolInput', id: 'c', name: 'f', input: '"👋"' },
    text(`x${'👋'.repeat(40_000)}`),
  ])
  await journal.stop()
})

it('keeps the order of text, reasoning, tool input and structured parts', async () => {
  const { journal, stored, parts } = createJournal()
  const said: DraftPart[] = [
    { type: 'reasoning', text: 'so' },
    text('a'),
    { type: 'part', part: { type: 'image', url: 'x' } },
    text('b'),
    { type: 'reasoning', text: 'then' },
    { type: 'toolInput', id: '1', name: 'f', input: '{' },
    { type: 'toolInput', id: '2', input: '[' },
    { type: 'toolInput', id: '1', input: '}' },
    { type: 'toolInput', id: '2', name: 'g', input: ']' },
  ]
  for (const piece of said) {
    journal.add(piece)
    await pass(60)
  }
  await pass(200)
  expect(parts()).toEqual([
    ...said.slice(0, 5),
    { type: 'toolInput', id: '1', name: 'f', input: '{}' },
    { type: 'toolInput', id: '2', name: 'g', input: '[]' },
  ])
  expect(stored.length).toBeLessThan(said.length)
  await journal.stop()
})

it('tries again what failed, under the same number', async () => {
  let isFull = true
  const {
    journal,
    stored,
    text: all,
  } = createJournal(0, () => (isFull ? new SessionError('QuotaExceeded', 'full') : undefined))
  journal.add(text('a'))
  await pass(1000)
  journal.add(text('b'))
  isFull = false
  await pass(6000)
  expect(all()).toBe('ab')
  expect(stored.map(({ n }) => n)).toEqual([0, 1])
  await journal.stop()
})

it('stops when the draft has ended, and asks no more', async () => {
  let asked = 0
  const { journal } = createJournal(0, () => {
    asked++
    return new SessionError('InvalidInput', 'ended')
  })
  journal.add(text('a'))
  await pass(1000)
  journal.add(text('b'))
  await pass(60_000)
  expect(asked).toBe(1)
  await journal.stop()
})

it('writes nothing once it is stopped, and goes on when it is started', async () => {
  const { journal, text: all } = createJournal(50)
  journal.add(text('a'))
  await pass(10)
  journal.add(text('b'))
  const stopping = journal.stop()
  await pass(500)
  await stopping
  expect(all()).toBe('a')
  journal.start()
  await pass(500)
  expect(all()).toBe('ab')
  await journal.stop()
})

/** A document that can be hidden; its timers come once a minute then, which here means never. */
function stubDocument() {
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  const page = new EventTarget()
  vi.stubGlobal('document', document)
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
  return { document, page }
}

it('waits for no timer in a hidden tab, and writes down what it has when the tab is hidden, frozen or left', async () => {
  const { document, page } = stubDocument()
  const { journal, text: all } = createJournal()
  journal.add(text('a'))
  await Promise.resolve()
  await vi.waitFor(() => expect(all()).toBe('a'), { timeout: 20_000 })
  journal.add(text('b'))
  document.visibilityState = 'hidden'
  document.dispatchEvent(new Event('visibilitychange'))
  await vi.waitFor(() => expect(all()).toBe('ab'), { timeout: 20_000 })
  journal.add(text('c'))
  await vi.waitFor(() => expect(all()).toBe('abc'), { timeout: 20_000 })
  document.visibilityState = 'visible'
  for (const [target, event] of [
    [document, 'freeze'],
    [page, 'pagehide'],
  ] as const) {
    journal.add(text('d'))
    target.dispatchEvent(new Event(event))
    await vi.waitFor(() => expect(all().endsWith('d')).toBe(true), { timeout: 20_000 })
  }
  await journal.stop()
  journal.add(text('late'))
  page.dispatchEvent(new Event('pagehide'))
  await Promise.resolve()
  expect(all()).toBe('abcdd')
})

it('gives a sign of life while nothing comes, where no Web Lock does', async () => {
  const { journal, stored } = createJournal()
  journal.add(text('a'))
  await pass(65_000)
  expect(stored.map(({ n, chunk }) => [n, chunk])).toEqual([
    [0, { text: 'a' }],
    [1, {}],
    [2, {}],
    ...(stored.length > 3 ? [[3, {}]] : []),
  ])
  await journal.stop()
  await pass(100_000)
  expect(stored.length).toBeLessThanOrEqual(4)
})

it('gives none where a Web Lock does', async () => {
  vi.stubGlobal('navigator', { locks: {} })
  const { journal, stored } = createJournal()
  journal.add(text('a'))
  await pass(65_000)
  expect(stored).toHaveLength(1)
  await journal.stop()
})

it('leaves neither a timer nor a listener behind once it was refused for good, and begins none again', async () => {
  const { document, page } = stubDocument()
  const [heard, left] = [new Set<string>(), new Set<string>()]
  for (const target of [document, page]) {
    vi.spyOn(target, 'removeEventListener').mockImplementation((name) => void left.add(name))
    vi.spyOn(target, 'addEventListener').mockImplementation((name) => void (heard.add(name), left.delete(name)))
  }
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
  const intervals = vi.spyOn(globalThis, 'setInterval')
  const cleared = vi.spyOn(globalThis, 'clearInterval')
  const { journal } = createJournal(0, () => new SessionError('StorageClosed', 'closed'))
  journal.add(text('a'))
  await pass(10)
  expect([...heard].sort()).toEqual(['freeze', 'pagehide', 'visibilitychange'])
  expect([...left].sort()).toEqual([...heard].sort())
  for (const { value } of intervals.mock.results) expect(cleared).toHaveBeenCalledWith(value)
  journal.start()
  expect(left.size).toBe(3)
})
