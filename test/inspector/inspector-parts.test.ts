import { describe, expect, it } from 'vitest'
import type { BranchPreview } from '../../src/client/branches/branch-types.ts'
import type { SessionChange } from '../../src/contract/change.ts'
import type { EntryView } from '../../src/contract/entry.ts'
import type { EntryPage } from '../../src/contract/store/session-log.ts'
import { branchLines, targetOfTreeKey } from '../../src/inspector/branch-lines.ts'
import { createCommitRecord } from '../../src/inspector/commit-record.ts'
import { bytesOf, durationOf, lineOf } from '../../src/inspector/describe-values.ts'
import { joinEarlier, joinEnd, joinLater, type LogWindow, mostHeld } from '../../src/inspector/join-window.ts'
import { createSessionSizes } from '../../src/inspector/session-sizes.ts'
import { unlessStopped } from '../../src/inspector/unless-stopped.ts'

const branch = (id: string, createdAt: number, parent?: string): BranchPreview => ({
  id,
  createdAt,
  isHead: false,
  newerThanHead: 0,
  preview: '',
  messageCount: 0,
  lastActivity: 0,
  ...(parent === undefined ? {} : { fork: { branch: parent, order: 'x' } }),
})

describe('the tree of branches', () => {
  it('has each branch behind the one it forks from, the oldest first, and those of deleted ones at the top', () => {
    const lines = branchLines([
      branch('', 0),
      branch('c', 3, 'a'),
      branch('b', 2, ''),
      branch('a', 1, ''),
      branch('d', 4, 'deleted'),
    ])
    expect(lines.map(({ branch: { id }, level }) => `${level}${id}`)).toEqual(['1', '2a', '3c', '2b', '1d'])
  })

  it('is no deeper a problem with 10,000 branches in a row', () => {
    const chain = Array.from({ length: 10_000 }, (_, i) => branch(`b${i}`, i, i === 0 ? undefined : `b${i - 1}`))
    expect(branchLines(chain).at(-1)).toEqual({ branch: chain.at(-1), level: 10_000 })
  })

  it('goes to the parent to the left, and to the first child to the right', () => {
    const lines = branchLines([branch('', 0), branch('a', 1, ''), branch('b', 2, '')])
    expect(targetOfTreeKey('ArrowLeft', 2, lines)).toBe(0)
    expect(targetOfTreeKey('ArrowRight', 0, lines)).toBe(1)
    expect(targetOfTreeKey('ArrowRight', 1, lines)).toBe(1)
    expect(targetOfTreeKey('Tab', 1, lines)).toBeUndefined()
  })
})

const entry = (n: number): EntryView => {
  const order = String(n).padStart(8, '0')
  return { id: `w.${n}`, branch: '', order, type: 'message', at: n, turn: order }
}
const page = (from: number, to: number, more = true): EntryPage => ({
  entries: Array.from({ length: to - from }, (_, i) => entry(from + i)),
  more,
  skipped: 0,
  branch: '',
  version: 1,
  session: 1,
})
const windowOf = (from: number, to: number): LogWindow => ({
  entries: page(from, to).entries,
  hasEarlier: true,
  hasLater: false,
  hasUnreadable: false,
})
const extent = ({ entries }: LogWindow) => [entries[0]?.at, entries.at(-1)?.at, entries.length]

describe('a window of a log', () => {
  it('never holds more than it may, and knows on which side there is more', () => {
    const up = joinEarlier(windowOf(5_000, 5_000 + mostHeld), page(4_900, 5_000))
    expect(extent(up.window)).toEqual([4_900, 4_899 + mostHeld, mostHeld])
    expect(up).toMatchObject({ shift: 100, window: { hasEarlier: true, hasLater: true } })
    const down = joinLater(up.window, page(4_900 + mostHeld, 5_000 + mostHeld, false))
    expect(extent(down.window)).toEqual([5_000, 4_999 + mostHeld, mostHeld])
    expect(down).toMatchObject({ shift: -100, window: { hasEarlier: true, hasLater: false } })
  })

  it('takes the newest page for what it had of it', () => {
    const { window, shift } = joinEnd(windowOf(0, 150), page(100, 200))
    expect(extent(window)).toEqual([0, 199, 200])
    expect(shift).toBe(0)
  })

  it('begins again where more came than a page has', () => {
    expect(extent(joinEnd(windowOf(0, 150), page(400, 500)).window)).toEqual([400, 499, 100])
  })

  it('says the same of records that can’t be read, however often it is scrolled up and down', () => {
    const damaged = { ...page(4_900, 5_000), skipped: 1 }
    const once = joinEarlier(windowOf(5_000, 5_000 + mostHeld), damaged).window
    const back = joinLater(once, page(4_900 + mostHeld, 5_000 + mostHeld, false)).window
    const twice = joinEarlier(back, damaged).window
    expect([once, back, twice].map(({ hasUnreadable }) => hasUnreadable)).toEqual([true, true, true])
    expect(twice).toEqual(once)
    expect(joinEnd(windowOf(0, 150), page(100, 200)).window.hasUnreadable).toBe(false)
  })
})

const change = (version: number, at?: number): SessionChange => ({
  type: 'session',
  key: 'a',
  session: 1,
  version,
  rows: [{ branch: '', order: 'x' }],
  ...(at === undefined ? {} : { entries: [{ ...entry(1), at }] }),
  reload: false,
})

describe('the record of commits', () => {
  it('says how long after its entry was made a commit was learned of, and which ones were missed', () => {
    const record = createCommitRecord(() => 1_000)
    record.take(change(1, 990))
    record.take(change(4, 1_000 - 3_600_000))
    expect(record.at(1)).toMatchObject({ tookMs: 10, missed: 0, version: 1, text: '1 entry' })
    expect(record.at(0)).toMatchObject({ missed: 2, version: 4 })
    expect(record.at(0)?.tookMs).toBeUndefined()
  })

  it('keeps the newest 2,000', () => {
    const record = createCommitRecord()
    for (let version = 1; version <= 6_000; version++) record.take(change(version))
    expect([record.count(), record.taken(), record.at(0)?.version]).toEqual([2_000, 6_000, 6_000])
    expect(record.at(1_999)?.version).toBe(4_001)
  })
})

/** A store of two sessions, which answers when the test says so. */
function answeredSizes() {
  const answers: ((bytes: number, sessions?: number) => void)[] = []
  let now = 0
  const sizes = createSessionSizes(
    () =>
      new Promise((answer) =>
        answers.push((bytes, sessions = 1) => answer({ largest: [{ ...usage, bytes }], sessions })),
      ),
    () => now,
  )
  return { sizes, answers, wait: (ms: number) => (now += ms) }
}
const usage = { key: 'a', title: '', entries: 1, updatedAt: 0, archived: false, tags: [] }

describe('the sizes of sessions', () => {
  it('are not known of a session that has changed since they were read, nor of one that changed meanwhile', async () => {
    const { sizes, answers } = answeredSizes()
    expect(sizes.textOf('a')).toBe('…')
    const first = sizes.read()
    answers[0]!(500, 2)
    await first
    expect(['a', 'b'].map(sizes.textOf)).toEqual(['500 bytes', '≤ 500 bytes'])
    sizes.forget('a')
    const second = sizes.read()
    sizes.forget('b')
    expect(['a', 'b'].map(sizes.textOf)).toEqual(['?', '?'])
    answers[1]!(700, 2)
    await second
    expect(['a', 'b'].map(sizes.textOf)).toEqual(['700 bytes', '?'])
  })

  it('are those of the reading that was begun last', async () => {
    const { sizes, answers } = answeredSizes()
    const readings = [sizes.read(), sizes.read()]
    answers[1]!(700)
    await readings[1]
    answers[0]!(500)
    await readings[0]
    expect(sizes.textOf('a')).toBe('700 bytes')
  })

  it('are read the more rarely the longer it takes', async () => {
    const { sizes, answers, wait } = answeredSizes()
    expect(sizes.restMs()).toBe(1_000)
    const reading = sizes.read()
    wait(3_000)
    answers[0]!(500)
    await reading
    expect(sizes.restMs()).toBe(60_000)
  })
})

it('waits no longer for what can’t be stopped, and takes its end if it comes first', async () => {
  const stopping = new AbortController()
  const endless = unlessStopped(stopping.signal, () => new Promise(() => undefined))
  const ended = unlessStopped(stopping.signal, async () => 'done')
  const failed = unlessStopped(stopping.signal, () => Promise.reject(new RangeError('It broke.')))
  await expect(ended).resolves.toBe('done')
  await expect(failed).rejects.toThrow('It broke.')
  stopping.abort()
  await expect(endless).resolves.toMatch(/^no longer waited for/)
})

it('describes sizes, durations and long texts in few characters', () => {
  expect([0, 999, 1_000, 1_234_567].map(bytesOf)).toEqual(['0 bytes', '999 bytes', '1.0 kB', '1.2 MB'])
  expect([3.4, 1_500].map(durationOf)).toEqual(['3 ms', '1.5 s'])
  expect(lineOf(`a\n  b ${'c'.repeat(400)}`)).toHaveLength(300)
})
