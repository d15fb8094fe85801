import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../src/contract/json.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { type ExportAixgoOptions, exportAixgo } from '../../src/dialects/aixgo/format/export-aixgo.ts'
import { type ImportFilesOptions, importFiles } from '../../src/files/import-files.ts'
import { readEntries } from '../../src/formats/read-log-entries.ts'
import { contents, type Files, openStore, sourceOf } from './support/picoclaw-files.ts'

vi.setConfig({ testTimeout: 60_000 })

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const run = (store: SessionStore, files: Files, options?: ImportFilesOptions) =>
  importFiles(store, sourceOf(files), options)

async function exported(store: SessionStore, options?: ExportAixgoOptions): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for await (const { path, blob } of exportAixgo(store, options)) files[path] = await blob.text()
  return files
}

const time = (n: number): string => `2026-02-03T04:05:${String(n).padStart(2, '0')}.12345678Z`
const line = (n: number, parent: number | null, more: JsonObject = {}): string =>
  JSON.stringify({
    id: `e${n}`,
    ...(parent === null ? {} : { parentId: `e${parent}` }),
    timestamp: time(n),
    type: 'message',
    data: {
      id: `m${n}`,
      metadata: {},
      payload: JSON.stringify({ content: `msg ${n}` }),
      timestamp: '2026-02-03T04:05:00Z',
      type: n % 2 === 1 ? 'user' : 'assistant',
    },
    ...more,
  })
const logOf = (...lines: string[]): string => lines.map((text) => `${text}\n`).join('')
const row = (more: JsonObject = {}): JsonObject => ({
  id: 's',
  agentName: 'helper',
  userId: 'u',
  createdAt: time(0),
  updatedAt: time(30),
  messageCount: 3,
  currentLeaf: 'e3',
  ...more,
})
const indexOf = (more: JsonObject = {}): string => JSON.stringify({ s: row(more) })
const checkpoint = (id: string, entry: string, ids: string, more: JsonObject = {}): string =>
  JSON.stringify({ id, sessionId: 's', timestamp: time(20), entryId: entry, checksum: sha256(ids), ...more })

const simple: Files = {
  'helper/sessions.json': indexOf(),
  'helper/s.jsonl': logOf(line(1, null), line(2, 1), line(3, 2)),
  'helper/checkpoints/c.json': checkpoint('c', 'e2', 'e1e2', { metadata: { why: 'x' } }),
}

describe('an Aixgo directory', () => {
  const root = fileURLToPath(new URL('../../../shared/samples/aixgo-sessions', import.meta.url))
  const isThere = existsSync(root)
  it.skipIf(!isThere)(
    isThere
      ? 'of Aixgo itself comes in, and out again byte for byte'
      : 'of Aixgo itself comes in (skipped: there is no ../shared/samples/aixgo-sessions)',
    async () => {
      const files = Object.fromEntries(
        (readdirSync(root, { recursive: true }) as string[])
          .map((path) => join(root, path))
          .filter((path) => statSync(path).isFile())
          .map((path) => [relative(root, path), readFileSync(path, 'utf8')]),
      )
      const store = openStore()
      const key = 'aixgo:5f8fd3a0-18ab-4ced-85ed-00e764f0470f'
      expect(await run(store, files)).toMatchObject({ keys: [key], added: 3, skipped: [] })
      expect(await contents(store, key)).toEqual(['Hello, AI! <b> 日本', 'Hi', 'after checkpoint'])
      const [saved] = await store.listCheckpoints(key)
      await store.restoreCheckpoint(key, saved!.id)
      expect(await contents(store, key)).toEqual(['Hello, AI! <b> 日本', 'Hi'])
      const other = openStore()
      await run(other, files)
      expect(await exported(other)).toEqual(files)
    },
  )

  it('comes in with what its index says, under its id', async () => {
    const store = openStore()
    expect(await run(store, simple)).toEqual({
      keys: ['aixgo:s'],
      added: 3,
      known: 0,
      skipped: [],
      skippedCount: 0,
      leftDeleted: [],
      sessions: [{ key: 'aixgo:s', dialect: 'aixgo' }],
    })
    expect(await store.getMeta('s')).toMatchObject({
      key: 'aixgo:s',
      id: 's',
      agentId: 'helper',
      userId: 'u',
      aliases: ['s', 'aixgo-log:e1'],
      createdAt: Date.parse(time(0)),
      updatedAt: Date.parse(time(30)),
    })
    expect((await store.getHistory('s'))[1]).toEqual({
      role: 'assistant',
      content: 'msg 2',
      id: 'm2',
      metadata: {},
      payload: '{"content":"msg 2"}',
      timestamp: '2026-02-03T04:05:00Z',
    })
    expect(await store.listCheckpoints('s')).toMatchObject([
      { metadata: { why: 'x' }, createdAt: Date.parse(time(20)) },
    ])
    expect((await store.verify()).problems).toEqual([])
  })

  it('is read along the parents from the current leaf, and keeps what a restore left behind', async () => {
    const store = openStore()
    await run(store, {
      ...simple,
      'helper/s.jsonl': logOf(line(1, null), line(2, 1), line(3, 2), line(4, 2)),
      'helper/sessions.json': indexOf({ currentLeaf: 'e4' }),
    })
    expect(await contents(store, 's')).toEqual(['msg 1', 'msg 2', 'msg 4'])
    await store.switchBranch('s', '')
    expect(await contents(store, 's')).toEqual(['msg 1', 'msg 2', 'msg 3'])
  })

  it('shows a session as it was restored, when nothing was said since', async () => {
    const store = openStore()
    await run(store, { ...simple, 'helper/sessions.json': indexOf({ currentLeaf: 'e2' }) })
    expect(await contents(store, 's')).toEqual(['msg 1', 'msg 2'])
    await store.switchBranch('s', '')
    expect(await contents(store, 's')).toEqual(['msg 1', 'msg 2', 'msg 3'])
  })

  it('loses nothing but the lines that are torn, too strange or no JSON', async () => {
    const store = openStore()
    const long = line(3, 2, { data: { type: 'user', payload: JSON.stringify('x'.repeat(300_000)) } })
    const report = await run(store, {
      'a/sessions.json': indexOf({ currentLeaf: 'e4' }),
      'a/s.jsonl': `${logOf(line(1, null), 'no json', line(2, 7), long, '[1]', '{"id":"e9"}', line(4, 3))}{"id":"e5","parentId":"e4","timest`,
    })
    expect(report).toMatchObject({ added: 4, skippedCount: 4 })
    expect(report.skipped.map(({ line: number, reason }) => [number, reason.split(':')[0]])).toEqual([
      [2, 'it is not JSON'],
      [5, 'it contains no entry'],
      [6, 'its entry has no type'],
      [8, 'it is incomplete'],
    ])
    expect((await contents(store, 's')).map((text) => (text as string).length)).toEqual([5, 5, 300_000, 5])
  })

  it('keeps entries that are no messages in their place, and shows them to nobody', async () => {
    const store = openStore()
    await run(store, {
      'a/sessions.json': indexOf({ agentName: 'a', currentLeaf: 'e5' }),
      'a/s.jsonl': logOf(
        line(1, null),
        line(2, 1, { type: 'checkpoint', data: { id: 'c' } }),
        line(3, 2, { type: 'metadata', data: {} }),
        line(4, 3, { data: {} }),
        line(5, 4),
      ),
    })
    expect(await contents(store, 's')).toEqual(['msg 1', 'msg 5'])
    expect((await store.read('s', { view: 'raw', after: '' })).entries).toHaveLength(5)
    const out = await exported(store)
    expect(
      out['a/s.jsonl']!.trim()
        .split('\n')
        .map((text) => (JSON.parse(text) as JsonObject)['type']),
    ).toEqual(['message', 'checkpoint', 'metadata', 'message', 'message'])
  })

  it("with an index that can't be read is taken by its logs", async () => {
    const store = openStore()
    const report = await run(store, { ...simple, 'helper/sessions.json': '{"s":' })
    expect(report).toMatchObject({ keys: ['aixgo:s'], added: 3, skippedCount: 1 })
    expect(await store.getMeta('s')).toMatchObject({ agentId: 'helper' })
  })

  it('has sessions of which there is only a row, and refuses what is no such directory', async () => {
    const store = openStore()
    expect(await run(store, { 'helper/sessions.json': indexOf() })).toMatchObject({ keys: ['aixgo:s'], added: 0 })
    expect(await store.getMeta('s')).toMatchObject({ agentId: 'helper', messageCount: 0 })
    await expect(run(store, { 'readme.md': 'x' })).rejects.toMatchObject({ name: 'InvalidInput' })
  })

  it('again adds nothing, and what has grown adds what is new, alike on two devices', async () => {
    const [one, two] = [openStore(), openStore()]
    await run(one, simple)
    const before = await readEntries(one, 's')
    expect(await run(one, simple)).toMatchObject({ added: 0, known: 3 })
    expect(await readEntries(one, 's')).toEqual(before)
    await run(two, simple)
    const grown = {
      ...simple,
      'helper/s.jsonl': logOf(line(1, null), line(2, 1), line(3, 2), line(4, 3)),
      'helper/sessions.json': indexOf({ currentLeaf: 'e4', updatedAt: time(40) }),
    }
    for (const store of [one, two]) expect(await run(store, grown)).toMatchObject({ added: 1, known: 3 })
    expect(await readEntries(one, 's')).toEqual(await readEntries(two, 's'))
    expect(await contents(one, 's')).toEqual(['msg 1', 'msg 2', 'msg 3', 'msg 4'])
    expect(await one.listCheckpoints('s')).toHaveLength(1)
  })

  it('brings a deleted session back, and leaves no session in part when it is stopped', async () => {
    const store = openStore()
    await run(store, simple)
    await store.delete('s')
    expect(await run(store, simple)).toMatchObject({ added: 0, known: 3 })
    expect(await contents(store, 's')).toHaveLength(3)
    const other = openStore()
    const ending = new AbortController()
    ending.abort()
    await expect(run(other, simple, { signal: ending.signal })).rejects.toMatchObject({ name: 'Aborted' })
    expect((await other.listSessions()).total).toBe(0)
  })
})

describe('files of Aixgo, told by their content', () => {
  const uuid = '5f8fd3a0-18ab-4ced-85ed-00e764f0470f'
  const log = logOf(line(1, null), line(2, 1), line(3, 2))
  const alone = 'aixgo-log:e1'

  it.each(['helper/s.jsonl', 'chat (1).txt', ''])(
    'a log alone comes in, and again under another name adds nothing (%j)',
    async (path) => {
      const store = openStore()
      expect(await run(store, { [path]: log })).toMatchObject({ keys: [alone], added: 3, skipped: [] })
      expect(await contents(store, alone)).toEqual(['msg 1', 'msg 2', 'msg 3'])
      expect(await run(store, { 'other/x.json': log })).toMatchObject({ keys: [alone], added: 0, known: 3 })
      expect(await run(store, { 'other/y': `${log}${line(4, 3)}\n` })).toMatchObject({
        keys: [alone],
        added: 1,
        known: 3,
      })
      expect((await store.listSessions()).total).toBe(1)
    },
  )

  it('a log alone that is called as Aixgo calls it has that id', async () => {
    const store = openStore()
    expect(await run(store, { [`${uuid}.jsonl`]: log })).toMatchObject({
      keys: [`aixgo:${uuid}`],
      added: 3,
      skipped: [],
    })
    expect(await run(store, { 'renamed.txt': log })).toMatchObject({ keys: [`aixgo:${uuid}`], added: 0, known: 3 })
    expect((await store.listSessions()).total).toBe(1)
  })

  it('belong together whatever they are called and wherever they lie', async () => {
    const store = openStore()
    const report = await run(store, {
      'one.txt': indexOf(),
      'deep/two.txt': log,
      three: checkpoint('c', 'e2', 'e1e2', { metadata: { why: 'x' } }),
    })
    expect(report).toMatchObject({ keys: ['aixgo:s'], added: 3, skipped: [] })
    expect(await store.listCheckpoints('s')).toHaveLength(1)
    const other = openStore()
    await run(other, simple)
    const same = (entries: Awaited<ReturnType<typeof readEntries>>): unknown =>
      entries.map(({ type, data }) => [type, data])
    expect(same(await readEntries(store, 's'))).toEqual(same(await readEntries(other, 's')))
  })

  it('a log and its checkpoint have the id that this says', async () => {
    expect(await run(openStore(), { a: log, b: checkpoint('c', 'e2', 'e1e2') })).toMatchObject({
      keys: ['aixgo:s'],
      added: 3,
      skipped: [],
    })
  })

  it('are one session, first alone and then with the index, or the other way round', async () => {
    const [one, two] = [openStore(), openStore()]
    await run(one, { 'x.txt': log })
    expect(await run(one, simple)).toMatchObject({ keys: [alone], added: 0, known: 3, skipped: [] })
    expect(await one.getMeta('s')).toMatchObject({ key: alone, id: 's', userId: 'u' })
    await run(two, simple)
    expect(await run(two, { 'x.txt': log })).toMatchObject({ keys: ['aixgo:s'], added: 0, known: 3 })
    for (const store of [one, two]) expect((await store.listSessions()).total).toBe(1)
  })

  it('of two sessions that begin alike stay two', async () => {
    const store = openStore()
    const index = JSON.stringify({ s: row(), t: row({ id: 't', currentLeaf: 'e4' }) })
    expect(
      await run(store, { 'a/sessions.json': index, 'a/s.jsonl': log, 'a/t.jsonl': `${log}${line(4, 3)}\n` }),
    ).toMatchObject({ keys: ['aixgo:s', 'aixgo:t'], added: 7 })
    expect(await contents(store, 't')).toHaveLength(4)
    expect(await contents(store, 's')).toHaveLength(3)
  })

  it('a copy beside the log of an index does not take its place', async () => {
    const store = openStore()
    const report = await run(store, { ...simple, 'helper/a copy.jsonl': log })
    expect(report).toMatchObject({ keys: ['aixgo:s'], added: 3, skipped: [{ file: 'helper/a copy.jsonl' }] })
  })

  it('a checkpoint alone is reported', async () => {
    expect(await run(openStore(), { a: log, b: checkpoint('c', 'e9', 'e9') })).toMatchObject({
      added: 3,
      skipped: [{ file: 'b', reason: expect.stringContaining('is not among the files') as unknown }],
    })
  })
})

describe('a checkpoint', () => {
  it('restores what had been said, whatever came after', async () => {
    const store = openStore()
    await run(store, simple)
    await store.append('s', [{ type: 'message', message: { role: 'user', content: 'later' } }])
    const [saved] = await store.listCheckpoints('s')
    await store.restoreCheckpoint('s', saved!.id)
    expect(await contents(store, 's')).toEqual(['msg 1', 'msg 2'])
  })

  it('may be of nothing, or of a log that was flattened when it was loaded', async () => {
    const store = openStore()
    const report = await run(store, {
      'a/s.jsonl': logOf(line(1, null), line(2, 1), line(3, 1)),
      'a/checkpoints/empty.json': checkpoint('empty', '', ''),
      'a/checkpoints/flat.json': checkpoint('flat', 'e3', 'e1e2e3'),
      'a/checkpoints/path.json': checkpoint('path', 'e3', 'e1e3'),
    })
    expect(report.skipped).toEqual([])
    for (const [id, shown] of [
      ['empty', []],
      ['flat', ['msg 1', 'msg 3']],
      ['path', ['msg 1', 'msg 3']],
    ] as const) {
      const entries = await readEntries(store, 's')
      const entry = entries.find(({ data }) => data['mid'] === `checkpoint-${id}`)!
      await store.restoreCheckpoint('s', `${entry.w.toString(36)}.${entry.s.toString(36)}`)
      expect(await contents(store, 's')).toEqual(shown)
    }
  })

  it('whose checksum is wrong, whose entry is missing or that is none is reported and left out', async () => {
    const store = openStore()
    const report = await run(store, {
      ...simple,
      'helper/checkpoints/bad.json': checkpoint('bad', 'e2', 'e1eX'),
      'helper/checkpoints/gone.json': checkpoint('gone', 'e7', 'e1'),
      'helper/checkpoints/none.json': '{}',
      'helper/checkpoints/torn.json': '{',
    })
    expect(report.skipped.map(({ file, reason }) => [file, reason.slice(0, 30)])).toEqual([
      ['helper/checkpoints/bad.json', 'its checksum does not match th'],
      ['helper/checkpoints/gone.json', 'its entry "e7" is not in the l'],
      ['helper/checkpoints/none.json', 'it holds no conversation that '],
      ['helper/checkpoints/torn.json', 'This is not JSON: it ends in t'],
    ])
    expect(await store.listCheckpoints('s')).toHaveLength(1)
  })
})

describe('an export', () => {
  it('of sessions of this app is what Aixgo reads', async () => {
    const store = openStore()
    await store.append('ses-1', [
      { type: 'message', message: { role: 'user', content: 'a <b>' } },
      { type: 'message', message: { role: 'assistant', content: null, tool_calls: [] } },
    ])
    const { id } = await store.checkpoint('ses-1', { label: 'L' })
    await store.append('ses-1', [{ type: 'model_change', data: { modelId: 'm' } }])
    await store.updateMeta('ses-1', { agentId: 'bot', userId: 'u' })
    const out = await exported(store)
    const lines = out['bot/ses-1.jsonl']!.trim().split('\n')
    const [first, second, third] = lines.map((text) => JSON.parse(text) as JsonObject)
    expect(lines[0]).toContain('"payload":"{\\"content\\":\\"a \\u003cb\\u003e\\"}"')
    expect(first).toMatchObject({
      timestamp: '2026-09-01T00:00:00Z',
      type: 'message',
      data: { id: first!['id'], metadata: {}, type: 'user', timestamp: '2026-09-01T00:00:00Z' },
    })
    expect(second).toMatchObject({ parentId: first!['id'], data: { payload: '{"content":null,"tool_calls":[]}' } })
    expect(third).toMatchObject({
      parentId: second!['id'],
      type: 'metadata',
      data: { type: 'model_change', modelId: 'm' },
    })
    expect(JSON.parse(out['bot/sessions.json']!)).toEqual({
      'ses-1': {
        id: 'ses-1',
        agentName: 'bot',
        userId: 'u',
        createdAt: '2026-09-01T00:00:00Z',
        updatedAt: '2026-09-01T00:00:00Z',
        messageCount: 2,
        currentLeaf: third!['id'],
      },
    })
    expect(JSON.parse(out[`bot/checkpoints/${id}.json`]!)).toEqual({
      id,
      sessionId: 'ses-1',
      timestamp: '2026-09-01T00:00:00Z',
      entryId: second!['id'],
      checksum: sha256(`${first!['id'] as string}${second!['id'] as string}`),
      metadata: { label: 'L' },
    })
    const other = openStore()
    expect(await run(other, out)).toMatchObject({ skipped: [] })
    expect(await contents(other, 'aixgo:ses-1')).toEqual(['a <b>', null])
    expect(await other.listCheckpoints('aixgo:ses-1')).toHaveLength(1)
  })

  it.each(['a/b', 'a\\b', '..', 'foo..bar'])(
    'refuses %j as an id or an agent, as Aixgo does, or leaves it out where it is told to',
    async (name) => {
      const store = openStore()
      await store.addMessage(name, 'user', 'x')
      await store.addMessage('good', 'user', 'x')
      await expect(exported(store)).rejects.toMatchObject({
        name: 'InvalidPathComponent',
        message: expect.stringContaining('invalid session ID: invalid path component') as unknown,
      })
      const left: string[] = []
      expect(Object.keys(await exported(store, { onLeftOut: (key) => left.push(key) }))).toEqual([
        'main/good.jsonl',
        'main/sessions.json',
      ])
      expect(left).toEqual([name])
      await store.updateMeta('good', { agentId: name })
      await expect(exported(store, { keys: ['good'] })).rejects.toMatchObject({
        name: 'InvalidPathComponent',
        message: expect.stringContaining('invalid agent name') as unknown,
      })
    },
  )

  it('of anything that came in is the same again, and adds nothing where it came from', async () => {
    const entry = fc.record({
      how: fc.nat(5),
      type: fc.constantFrom('message', 'message', 'message', 'metadata', 'checkpoint'),
      text: fc.string({ unit: fc.constantFrom('a', '<', '"', '\\', '日', '\u2028', '😀') }),
      role: fc.constantFrom('user', 'assistant', 'system'),
      isText: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 15 }), fc.nat(), async (drawn, leaf) => {
        const lines = drawn.map(({ how, type, text, role, isText }, n) =>
          // Something is chained: a log without any parents is one line, and comes out as one.
          line(n, n === 0 || (how === 5 && n > 1) ? null : how < 3 ? n - 1 : how % n, {
            type,
            data:
              type === 'message'
                ? {
                    id: `m${n}`,
                    metadata: {},
                    payload: JSON.stringify(isText ? text : { content: text }),
                    timestamp: '2026-02-03T04:05:00Z',
                    type: role,
                  }
                : { a: text },
          }),
        )
        const index = (current: string, messageCount: number): string =>
          JSON.stringify({ s: row({ currentLeaf: current, messageCount }) })
        const files = { 'helper/s.jsonl': logOf(...lines), 'helper/sessions.json': index(`e${leaf % drawn.length}`, 0) }
        const [one, two] = [openStore(), openStore()]
        const { added } = await run(one, files)
        expect(added).toBe(drawn.length)
        const out = await exported(one)
        expect(out['helper/s.jsonl']!.split('\n').sort()).toEqual(
          files['helper/s.jsonl']
            .replace(/[<\u2028]/g, (character) => (character === '<' ? '\\u003c' : '\\u2028'))
            .split('\n')
            .sort(),
        )
        expect((JSON.parse(out['helper/sessions.json']!) as { s: JsonObject }).s['currentLeaf']).toBe(
          `e${leaf % drawn.length}`,
        )
        await run(two, out)
        expect(await exported(two)).toEqual(out)
        expect(await two.getHistory('s')).toEqual(await one.getHistory('s'))
        expect(await run(one, out)).toMatchObject({ added: 0, known: drawn.length })
      }),
      { numRuns: 60 },
    )
  })
})
