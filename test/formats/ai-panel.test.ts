import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../src/contract/json.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { exportAiPanel } from '../../src/dialects/chat/format/export-ai-panel.ts'
import { type ImportFilesOptions, importFiles } from '../../src/files/import-files.ts'
import { readEntries } from '../../src/formats/read-log-entries.ts'
import { contents, type Files, openStore, sourceOf } from './support/picoclaw-files.ts'

vi.setConfig({ testTimeout: 60_000 })

const run = (store: SessionStore, files: Files, options?: ImportFilesOptions) =>
  importFiles(store, sourceOf(files), options)

async function exported(store: SessionStore): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for await (const { path, blob } of exportAiPanel(store)) files[path] = await blob.text()
  return files
}

const start = Date.UTC(2026, 1, 3)
const header: JsonObject = { type: 'session', version: 3, agentId: 'bot', createdAt: start }
const says = (n: number, more: JsonObject = {}): JsonObject => ({
  type: 'message',
  message: { role: n % 2 === 1 ? 'user' : 'assistant', content: `msg ${n}` },
  timestamp: start + n,
  ...more,
})
/** A copy as ai-panel's code makes it: the same message, now. */
const copy = (n: number): JsonObject => ({ ...says(n), timestamp: start + 1000 + n })
const compaction = (first: string, more: JsonObject = {}): JsonObject => ({
  type: 'compaction',
  summary: 'S',
  firstKeptEntryId: first,
  tokensBefore: 9,
  timestamp: start + 500,
  ...more,
})
const upTo = (last: number, first = 1): JsonObject[] =>
  Array.from({ length: last - first + 1 }, (_, i) => says(first + i))
const logOf = (...lines: (JsonObject | string)[]): string =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')
const indexOf = (rows: JsonObject): string => JSON.stringify({ sessions: rows })
const row = (more: JsonObject = {}): JsonObject => ({
  id: 'ses-1',
  agentId: 'bot',
  filePath: 'ses-1.jsonl',
  title: 'Named',
  messageCount: 4,
  createdAt: start,
  lastAt: start + 99,
  tokenEstimate: 8,
  ...more,
})
const at = (file: string): string => `agents/bot/sessions/${file}`
const simple = (...lines: (JsonObject | string)[]): Files => ({
  [at('sessions.json')]: indexOf({ 'ses-1': row() }),
  [at('ses-1.jsonl')]: logOf(header, ...lines),
})
const texts = (numbers: readonly number[]): string[] => numbers.map((n) => `msg ${n}`)
const linesIn = (text: string): JsonObject[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject)

describe('an ai-panel directory', () => {
  it('comes in with what its index and headers say', async () => {
    const store = openStore()
    expect(await run(store, simple(...upTo(4)))).toMatchObject({
      keys: ['ai-panel:bot:ses-1'],
      added: 4,
      known: 0,
      skipped: [],
      skippedCount: 0,
      leftDeleted: [],
    })
    expect(await contents(store, 'ses-1')).toEqual(texts([1, 2, 3, 4]))
    expect(await store.getMeta('ses-1')).toMatchObject({
      id: 'ses-1',
      agentId: 'bot',
      title: 'Named',
      titleSource: 'auto',
      aliases: ['ses-1', expect.stringMatching(/^ai-panel-log:/) as unknown],
      createdAt: start,
      updatedAt: start + 99,
    })
  })

  it("with an index that can't be read, or none, is taken by its logs", async () => {
    for (const index of [{ [at('sessions.json')]: '{"sess' }, { [at('sessions.json')]: '[]' }, {}]) {
      const store = openStore()
      const report = await run(store, { ...simple(...upTo(2)), [at('sessions.json')]: '', ...index })
      expect(report).toMatchObject({ keys: ['ai-panel:bot:ses-1'], added: 2 })
      expect(await store.getMeta('ses-1')).toMatchObject({ agentId: 'bot', title: 'msg 1', createdAt: start })
    }
    const store = openStore()
    expect(await run(store, { 'agents/other/sessions/ses-2.jsonl': logOf(says(1)) })).toMatchObject({
      keys: ['ai-panel:other:ses-2'],
    })
  })

  it("loses nothing but the lines that can't be read", async () => {
    const store = openStore()
    const report = await run(store, {
      'ses-1.jsonl': `${logOf(header, says(1), '{"type":', 'x'.repeat(200_000), { type: 'message', message: {} }, { type: 'else' }, says(2))}{"type":"message","mess`,
    })
    expect(report.skipped.map(({ line, reason }) => [line, reason.split(':')[0]])).toEqual([
      [3, 'it is not JSON'],
      [4, 'it is not JSON'],
      [5, 'its message has no role'],
      [6, 'ai-panel has no entries of this type'],
      [8, 'it is incomplete'],
    ])
    expect(await contents(store, 'ses-1')).toEqual(texts([1, 2]))
  })

  it('has compactions that keep what they name, inclusive', async () => {
    for (const [first, shown] of [
      ['msg-5', [5, 6, 7]],
      ['here', [3, 4, 5, 6, 7]],
      ['nobody', [7]],
    ] as const) {
      const store = openStore()
      await run(
        store,
        simple(...upTo(2), says(3, { id: 'here' }), ...upTo(6, 4), compaction(first, { tokensAfter: 3 }), says(7)),
      )
      expect(await contents(store, 'ses-1')).toEqual(texts(shown))
      expect(await store.getSummary('ses-1')).toBe('S')
      expect((await store.read('ses-1', { after: '' })).entries).toHaveLength(7)
    }
  })

  it('of the old code has the messages it copied once, in the context and in all', async () => {
    const store = openStore()
    const copies = Array.from({ length: 20 }, (_, i) => copy(11 + i))
    const report = await run(store, simple(...upTo(30), compaction('turn-10'), ...copies, ...upTo(32, 31)))
    expect(report).toMatchObject({ added: 33, skippedCount: 0 })
    expect(await contents(store, 'ses-1')).toEqual(texts(Array.from({ length: 22 }, (_, i) => i + 11)))
    expect((await store.read('ses-1', { after: '', limit: 100 })).entries).toHaveLength(32)
  })

  it('of the old code may be compacted twice, with copies of copies', async () => {
    const store = openStore()
    // 25 messages, 20 kept; 5 more, so 25 again, 20 kept.
    const lines = [
      ...upTo(25),
      compaction('turn-5'),
      ...Array.from({ length: 20 }, (_, i) => copy(6 + i)),
      ...upTo(30, 26),
      compaction('turn-5', { summary: 'T', timestamp: start + 700 }),
      ...Array.from({ length: 20 }, (_, i) => ({ ...copy(11 + i), timestamp: start + 2000 + i })),
      says(31),
    ]
    await run(store, simple(...lines))
    expect(await contents(store, 'ses-1')).toEqual(texts(Array.from({ length: 21 }, (_, i) => i + 11)))
    expect(await store.getSummary('ses-1')).toBe('T')
    expect((await store.read('ses-1', { after: '', limit: 100 })).entries).toHaveLength(31)
  })

  it('of the old code whose copies broke off, or to which somebody wrote meanwhile, loses nothing and doubles nothing', async () => {
    const broken = openStore()
    await run(broken, simple(...upTo(24), compaction('turn-4'), copy(5), copy(6), says(25)))
    expect(await contents(broken, 'ses-1')).toEqual(texts(Array.from({ length: 21 }, (_, i) => i + 5)))
    const busy = openStore()
    await run(
      busy,
      simple(
        ...upTo(24),
        says(25),
        compaction('turn-4'),
        ...Array.from({ length: 20 }, (_, i) => copy(5 + i)),
        says(26),
      ),
    )
    expect(await contents(busy, 'ses-1')).toEqual(texts(Array.from({ length: 22 }, (_, i) => i + 5)))
  })

  it('leaves logs of pi to their own import', async () => {
    const store = openStore()
    const report = await run(store, {
      'x.jsonl': logOf({ type: 'session', version: 3, id: 'p', timestamp: '2026-01-01T00:00:00Z', cwd: '/' }),
      'ses-1.jsonl': logOf(header, says(1)),
    })
    expect(report).toMatchObject({ keys: ['pi:p', 'ai-panel:bot:ses-1'], skipped: [] })
    await expect(run(store, { 'readme.md': '' })).rejects.toMatchObject({ name: 'InvalidInput' })
  })

  it('again adds nothing, and what has grown adds what is new, alike on two devices', async () => {
    const [one, two] = [openStore(), openStore()]
    await run(one, simple(...upTo(3)))
    expect(await run(one, simple(...upTo(3)))).toMatchObject({ added: 0, known: 3 })
    await run(two, simple(...upTo(3)))
    for (const store of [one, two])
      expect(
        await run(
          store,
          simple(...upTo(24), compaction('turn-4'), ...Array.from({ length: 20 }, (_, i) => copy(5 + i)), says(25)),
        ),
      ).toMatchObject({ added: 23, known: 3 })
    expect(await readEntries(one, 'ses-1')).toEqual(await readEntries(two, 'ses-1'))
    expect(await contents(one, 'ses-1')).toEqual(texts(Array.from({ length: 21 }, (_, i) => i + 5)))
  })

  it('that was imported at different times on two devices comes to the same when they meet', async () => {
    const [one, two] = [openStore(), openStore()]
    await run(one, simple(...upTo(3)))
    for (const store of [one, two]) await run(store, simple(...upTo(6)))
    const key = 'ai-panel:bot:ses-1'
    await one.merge(key, await readEntries(two, key))
    await two.merge(key, await readEntries(one, key))
    expect(await one.getHistory(key)).toEqual(await two.getHistory(key))
  })

  it('leaves no session in part when it is stopped', async () => {
    const store = openStore()
    const ending = new AbortController()
    await expect(
      run(store, simple(...upTo(1200)), { signal: ending.signal, onProgress: () => ending.abort() }),
    ).rejects.toMatchObject({ name: 'Aborted' })
    expect((await store.listSessions()).total).toBe(0)
  })
})

describe('files of ai-panel, told by their content', () => {
  const log = logOf(header, ...upTo(4))
  const keyOf = async (files: Files): Promise<string> => (await run(openStore(), files)).keys[0]!

  it.each(['ses-1 (2).jsonl', 'chat.txt', ''])(
    'a log alone comes in, and again under another name adds nothing (%j)',
    async (path) => {
      const store = openStore()
      const { keys, added } = await run(store, { [path]: log })
      expect([keys, added]).toEqual([[expect.stringMatching(/^ai-panel-log:/)], 4])
      expect(await contents(store, keys[0]!)).toEqual(texts([1, 2, 3, 4]))
      expect(await keyOf({ another: log })).toBe(keys[0])
      expect(await run(store, { 'deep/er': logOf(header, ...upTo(5)) })).toMatchObject({ keys, added: 1, known: 4 })
      expect((await store.getMeta(keys[0]!))?.agentId).toBe('bot')
    },
  )

  it('tells logs apart that were made at one time', async () => {
    const store = openStore()
    expect((await run(store, { a: log, b: logOf(header, says(9)) })).keys).toHaveLength(2)
    expect((await store.listSessions()).total).toBe(2)
  })

  it('belong together whatever they are called and wherever they lie', async () => {
    const store = openStore()
    expect(await run(store, { 'x.txt': indexOf({ 'ses-1': row() }), 'deep/y': log })).toMatchObject({
      keys: ['ai-panel:bot:ses-1'],
      added: 4,
      skipped: [],
    })
    expect(await store.getMeta('ses-1')).toMatchObject({ title: 'Named' })
  })

  it('are one session, first alone and then with the index, or the other way round', async () => {
    const [one, two] = [openStore(), openStore()]
    const { keys } = await run(one, { 'x.txt': log })
    expect(await run(one, simple(...upTo(4)))).toMatchObject({ keys, added: 0, known: 4, skipped: [] })
    expect(await one.getMeta('ses-1')).toMatchObject({ key: keys[0], title: 'Named' })
    await run(two, simple(...upTo(4)))
    expect(await run(two, { 'x.txt': log })).toMatchObject({ keys: ['ai-panel:bot:ses-1'], added: 0, known: 4 })
  })
})

describe('an export', () => {
  const say = (role: string, content: string) => ({ type: 'message' as const, message: { role, content } })

  it("has numbered messages, and compactions that keep from a user's message on", async () => {
    const store = openStore(() => start)
    for (const n of [1, 3, 5]) await store.append('ses-9', [say('user', `msg ${n}`), say('assistant', `msg ${n + 1}`)])
    await store.setCompaction('ses-9', { summary: 'before', keepLast: 3 })
    await store.append('ses-9', [say('user', 'msg 7')])
    await store.updateMeta('ses-9', { agentId: 'bot' })
    const out = await exported(store)
    expect(linesIn(out[at('ses-9.jsonl')]!)).toEqual([
      { ...header, createdAt: start },
      ...[1, 2, 3, 4, 5, 6].map((n) => ({
        type: 'message',
        id: `msg-${n}`,
        message: { role: n % 2 === 1 ? 'user' : 'assistant', content: `msg ${n}` },
        timestamp: start,
      })),
      {
        type: 'compaction',
        summary: 'before',
        firstKeptEntryId: 'msg-3',
        tokensBefore: 6,
        tokensAfter: 5,
        timestamp: start,
      },
      { type: 'message', id: 'msg-7', message: { role: 'user', content: 'msg 7' }, timestamp: start },
    ])
    expect(JSON.parse(out[at('sessions.json')]!)).toEqual({
      sessions: {
        'ses-9': {
          id: 'ses-9',
          agentId: 'bot',
          filePath: 'ses-9.jsonl',
          title: 'msg 1',
          messageCount: 7,
          createdAt: start,
          lastAt: start,
          tokenEstimate: 4,
        },
      },
    })
  })

  it('says a summary that has no compaction, and leaves out what was cut', async () => {
    const store = openStore()
    for (const n of [1, 3, 5]) await store.append('k', [say('user', `msg ${n}`), say('assistant', `msg ${n + 1}`)])
    await store.truncateHistory('k', 2)
    await store.setSummary('k', 'so far')
    const lines = linesIn((await exported(store))['agents/main/sessions/k.jsonl']!)
    expect(
      lines.slice(1).map(({ type, id, summary, firstKeptEntryId }) => [type, id ?? summary, firstKeptEntryId]),
    ).toEqual([
      ['message', 'msg-1', undefined],
      ['message', 'msg-2', undefined],
      ['compaction', 'so far', 'msg-1'],
    ])
    const other = openStore()
    await run(other, await exported(store))
    expect([await other.getSummary('ai-panel:main:k'), await contents(other, 'ai-panel:main:k')]).toEqual([
      'so far',
      texts([5, 6]),
    ])
  })

  it('has names that can be files, each session its own', async () => {
    const store = openStore()
    for (const key of ['a/b', 'a:b', '../x', 'a_b']) await store.addMessage(key, 'user', key)
    await store.updateMeta('a_b', { agentId: '../up' })
    const out = await exported(store)
    const paths = Object.keys(out).filter((path) => path.endsWith('.jsonl'))
    expect(new Set(paths).size).toBe(4)
    for (const path of paths) expect(path).toMatch(/^agents\/[^/]+\/sessions\/[^/]+\.jsonl$/)
    const { sessions } = JSON.parse(out['agents/main/sessions/sessions.json']!) as {
      sessions: Record<string, JsonObject>
    }
    for (const [id, { id: own, filePath }] of Object.entries(sessions))
      expect([own, filePath]).toEqual([id, `${id}.jsonl`])
  })

  it('of anything that came in shows the same on another device, and adds nothing where it came from', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', '<', '"', '日', '\u2028', '😀', ' ') })
    const item = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          role: fc.constantFrom('user', 'assistant'),
          content: fc.oneof(text, fc.array(fc.record({ type: fc.constant('text'), text }), { maxLength: 2 })),
        }),
      },
      { weight: 1, arbitrary: fc.record({ summary: text, kept: fc.nat(12) }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 20 }), async (items) => {
        const users = items
          .flatMap((one) => ('role' in one ? [one.role] : []))
          .flatMap((role, i) => (role === 'user' ? [i + 1] : []))
        const lines = items.map((one, n) =>
          'role' in one
            ? { type: 'message', message: { ...one }, timestamp: start + n }
            : {
                type: 'compaction',
                summary: one.summary,
                firstKeptEntryId: `msg-${users.length === 0 ? 99 : users[one.kept % users.length]!}`,
                tokensBefore: 1,
                tokensAfter: 1,
                timestamp: start + n,
              },
        )
        const files = {
          [at('ses-1.jsonl')]: logOf(header, ...(lines as JsonObject[])),
          [at('sessions.json')]: indexOf({ 'ses-1': row() }),
        }
        const [one, two] = [openStore(), openStore()]
        await run(one, files)
        const out = await exported(one)
        await run(two, out)
        expect(await two.getHistory('ses-1')).toEqual(await one.getHistory('ses-1'))
        expect(await two.getSummary('ses-1')).toBe(await one.getSummary('ses-1'))
        expect(await exported(two)).toEqual(out)
        expect(await run(one, out)).toMatchObject({ added: 0 })
      }),
      { numRuns: 80 },
    )
  })
})
