import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../src/contract/json.ts'
import { exportPicoClaw } from '../../src/dialects/picoclaw/format/export-picoclaw.ts'
import { importPicoClaw } from '../../src/dialects/picoclaw/format/import-picoclaw.ts'
import { goTrim } from '../../src/domain/identity/go-text.ts'
import { contents, exported, importFiles, logOf, metaOf, openStore, says, timeAt } from './support/picoclaw-files.ts'

vi.setConfig({ testTimeout: 120_000 })

const scope = {
  version: 1,
  agent_id: 'main',
  channel: 'slack',
  account: 'a',
  dimensions: ['chat', 'sender'],
  values: { sender: 'u', chat: 'channel:c' },
}

describe('an export', () => {
  it('is what PicoClaw would write, byte for byte', async () => {
    const store = openStore()
    const { values, ...rest } = scope
    const meta = JSON.parse(
      metaOf('a:b', {
        summary: 'a <b> & c',
        count: 2,
        skip: 1,
        scope: rest as JsonObject,
        aliases: ['agent:main:main'],
      }),
    ) as { scope: { values?: object } }
    meta.scope.values = values
    await importFiles(store, {
      'a_b.jsonl': logOf([
        { created_at: timeAt(0), tool_call_id: 'c', content: '1 < 2 \u2028', role: 'tool' },
        says(1),
      ]),
      'a_b.meta.json': JSON.stringify(meta),
    })
    expect(await exported(store)).toEqual({
      'a_b.jsonl': `{"role":"tool","content":"1 \\u003c 2 \\u2028","created_at":"${timeAt(0)}","tool_call_id":"c"}\n{"role":"assistant","content":"msg 1","created_at":"${timeAt(1)}"}\n`,
      'a_b.meta.json': [
        '{',
        '  "key": "a:b",',
        '  "summary": "a \\u003cb\\u003e \\u0026 c",',
        '  "skip": 1,',
        '  "count": 2,',
        '  "created_at": "2026-01-01T10:00:00.000000001Z",',
        '  "updated_at": "2026-01-01T11:00:00.123456789Z",',
        '  "scope": {',
        '    "version": 1,',
        '    "agent_id": "main",',
        '    "channel": "slack",',
        '    "account": "a",',
        '    "dimensions": [',
        '      "chat",',
        '      "sender"',
        '    ],',
        '    "values": {',
        '      "chat": "channel:c",',
        '      "sender": "u"',
        '    }',
        '  },',
        '  "aliases": [',
        '    "agent:main:main"',
        '  ]',
        '}',
      ].join('\n'),
    })
  })

  it('says when what was written here was written, as Go does', async () => {
    const store = openStore(() => Date.UTC(2026, 4, 1, 12, 0, 0, 120))
    await store.append('k', [
      {
        type: 'message',
        message: {
          role: 'user',
          content: [
            { type: 'text', text: 'in' },
            { type: 'text', text: 'parts' },
          ],
        },
      },
      { type: 'message', message: { role: 'assistant', content: null, custom: 1 }, at: Date.UTC(2026, 4, 1) },
    ])
    expect(await exported(store)).toMatchObject({
      'k.jsonl':
        '{"role":"user","content":"in\\nparts","created_at":"2026-05-01T12:00:00.12Z"}\n{"role":"assistant","content":"","created_at":"2026-05-01T00:00:00Z","custom":1}\n',
      'k.meta.json': expect.stringContaining('"updated_at": "2026-05-01T12:00:00.12Z"'),
    })
  })

  it('hides by count what a model no longer gets, and leaves out what was removed', async () => {
    const store = openStore()
    for (let n = 0; n < 6; n++) await store.addMessage('k', 'user', `${n}`)
    const { entries } = await store.read('k')
    await store.remove('k', entries[1]!)
    await store.remove('k', entries[4]!)
    await store.setCompaction('k', { summary: 'C', keepLast: 2 })
    const files = await exported(store)
    expect(
      files['k.jsonl']!.trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as JsonObject)['content']),
    ).toEqual(['0', '2', '3', '5'])
    expect(JSON.parse(files['k.meta.json']!)).toMatchObject({ summary: 'C', skip: 2, count: 4 })
  })

  it('has no deleted sessions, and a log only where there are messages', async () => {
    const store = openStore()
    await store.addMessage('gone', 'user', 'x')
    await store.delete('gone')
    await store.setSummary('empty', 'S')
    expect(Object.keys(await exported(store))).toEqual(['empty.meta.json'])
  })

  it('takes the sessions asked for, by key or alias, and refuses one that is not there', async () => {
    const store = openStore()
    for (const key of ['a', 'b', 'c']) await store.addMessage(key, 'user', key)
    await store.updateMeta('b', { aliases: ['bee'] })
    expect(Object.keys(await exported(store, ['bee', 'b', 'a']))).toEqual([
      'a.jsonl',
      'a.meta.json',
      'b.jsonl',
      'b.meta.json',
    ])
    await expect(exported(store, ['nobody'])).rejects.toMatchObject({ name: 'SessionNotFound' })
  })

  it('stops when it is asked to', async () => {
    const store = openStore()
    for (const key of ['a', 'b']) await store.addMessage(key, 'user', key)
    const ending = new AbortController()
    const files = exportPicoClaw(store, { signal: ending.signal })
    expect((await files.next()).done).toBe(false)
    ending.abort()
    await expect(files.next()).rejects.toMatchObject({ name: 'Aborted' })
  })
})

describe('names of files', () => {
  it("are PicoClaw's, and each session has its own", async () => {
    const store = openStore()
    const keys = [
      'a:b',
      'a/b',
      'a_b',
      'A_B',
      'a\\b',
      '',
      '.',
      '..',
      '._x',
      'é'.normalize('NFC'),
      'é'.normalize('NFD'),
      'x\u0000y',
      '長'.repeat(200),
      'a:b~',
      'x.meta',
    ]
    for (const key of keys.filter((key) => key !== '')) await store.addMessage(key, 'user', key)
    const names = Object.keys(await exported(store)).filter((path) => path.endsWith('.jsonl'))
    expect(names).toContain('A_B.jsonl')
    expect(new Set(names.map((name) => name.normalize().toLowerCase())).size).toBe(keys.length - 1)
    for (const name of names) expect(new TextEncoder().encode(name).length).toBeLessThan(230)
    const other = openStore()
    await importFiles(other, await exported(store))
    for (const key of keys.filter((key) => key !== '')) expect(await contents(other, key)).toEqual([key])
  })
})

describe('a zip', () => {
  it('holds the files, and can be imported as it is', async () => {
    const store = openStore()
    for (const key of ['a:b', 'a_b'])
      for (let n = 0; n < 50; n++) await store.addMessage(key, 'user', `${key} ${n} ${'lorem ipsum '.repeat(n)}`)
    const { value: zip } = await exportPicoClaw(store, { as: 'zip' }).next()
    expect(zip?.path).toBe('picoclaw-sessions.zip')
    const [one, two] = [openStore(), openStore()]
    expect(await importPicoClaw(one, [zip!])).toMatchObject({ keys: ['a_b', 'a:b'], added: 100, skipped: [] })
    expect(await importPicoClaw(two, [{ path: '', blob: zip!.blob }])).toMatchObject({ added: 100 })
    expect(await exported(one)).toEqual(await exported(store))
  })
})

const text = fc.string({
  unit: fc.constantFrom('a', ':', '/', '_', '<', '&', '\u2028', '\n', '"', '\\', 'é', '日', '😀', ' ', '~', 'B', 'b'),
})
const timeIn = (hour: number) =>
  fc
    .tuple(fc.integer({ min: 0, max: 59 }), fc.constantFrom('', '.5', '.123456789', '.000000001'))
    .map(([second, fraction]) => `2026-01-01T${hour}:00:${String(second).padStart(2, '0')}${fraction}Z`)
const message: fc.Arbitrary<JsonObject> = fc.record(
  {
    role: fc.constantFrom('user', 'assistant', 'tool', 'system'),
    content: text,
    created_at: timeIn(10),
    media: fc.array(text, { minLength: 1, maxLength: 2 }),
    tool_calls: fc.array(
      fc.record({ id: text, type: fc.constant('function'), function: fc.record({ name: text, arguments: text }) }),
      { minLength: 1, maxLength: 2 },
    ),
  },
  { requiredKeys: ['role', 'content'] },
)
const session = fc.record({
  key: text.filter((key) => goTrim(key) !== ''),
  messages: fc.array(message, { maxLength: 12 }),
  skip: fc.nat(14),
  summary: text,
  aliases: fc.array(text, { maxLength: 3 }),
  scope: fc.option(
    fc
      .record({ chat: text, sender: text })
      .map((values) => ({
        version: 1,
        agent_id: 'main',
        channel: 'web',
        account: 'default',
        dimensions: Object.keys(values),
        values,
      })),
    { nil: undefined },
  ),
  created_at: timeIn(9),
  // Never before a message, as PicoClaw has it.
  updated_at: timeIn(11),
})

it('import → export → import gives the same sessions, whatever they are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(session, { selector: ({ key }) => key, maxLength: 6 }), async (sessions) => {
      const files: Record<string, string> = {}
      sessions.forEach(({ messages, scope: own, ...meta }, i) => {
        if (messages.length > 0) files[`${i}.jsonl`] = logOf(messages)
        files[`${i}.meta.json`] = JSON.stringify({
          ...meta,
          count: messages.length,
          ...(own === undefined ? {} : { scope: own }),
        })
      })
      if (sessions.length === 0) return
      // A name with a separator leads to who has it as an alias, white space around it aside, and no longer to the
      // session of that key: PicoClaw's rule.
      fc.pre(
        !sessions.some(
          ({ key }) =>
            /[:/\\]/.test(key) &&
            sessions.some(
              (other) => other.key !== key && other.aliases.map((alias) => goTrim(alias)).includes(goTrim(key)),
            ),
        ),
      )
      const [one, two] = [openStore(), openStore()]
      const { added } = await importFiles(one, files)
      const out = await exported(one)
      const report = await importFiles(two, out)
      expect(report).toMatchObject({ added, known: 0, skippedCount: 0 })
      expect(report.keys.toSorted()).toEqual(sessions.map(({ key }) => key).sort())
      for (const { key } of sessions) {
        expect(await two.getHistory(key)).toEqual(await one.getHistory(key))
        expect(await two.changes(key)).toEqual(await one.changes(key))
      }
      expect(await exported(two)).toEqual(out)
      // What came out adds nothing where it came from.
      const log = await Promise.all(sessions.map(({ key }) => one.changes(key)))
      expect(await importFiles(one, out)).toMatchObject({ added: 0 })
      expect(await Promise.all(sessions.map(({ key }) => one.changes(key)))).toEqual(log)
    }),
    { numRuns: 150 },
  )
})
