import { describe, expect, it } from 'vitest'
import type { JobProgress } from '../../src/contract/job.ts'
import { opaqueKey } from '../../src/domain/identity/session-key.ts'
import {
  contents,
  exported,
  importFiles,
  logOf,
  metaOf,
  openStore,
  says,
  talk,
  timeAt,
} from './support/picoclaw-files.ts'

const scope = {
  version: 1,
  agent_id: 'main',
  channel: 'slack',
  account: 'workspace-a',
  dimensions: ['chat'],
  values: { chat: 'channel:c001' },
}

describe('a session of PicoClaw', () => {
  it('comes in under its own key, message for message, with summary, scope, aliases and times', async () => {
    const store = openStore()
    const messages = [
      { ...says(0), media: ['data:,a'] },
      {
        role: 'assistant',
        content: 'x <b>',
        model_name: 'm',
        created_at: timeAt(1),
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', content: 'r', created_at: timeAt(2), tool_call_id: 'c1' },
    ]
    const report = await importFiles(store, {
      'a_b.jsonl': logOf(messages),
      'a_b.meta.json': metaOf('a:b', {
        summary: 'S',
        count: 3,
        scope,
        aliases: ['agent:main:main', 'agent:main:slack:channel:c001'],
      }),
    })
    expect(report).toEqual({ keys: ['a:b'], added: 3, known: 0, skipped: [], skippedCount: 0, leftDeleted: [] })
    expect(await store.getHistory('a:b')).toEqual(messages)
    expect(await store.getSessionScope('a:b')).toEqual(scope)
    expect(await store.getMeta('a:b')).toMatchObject({
      summary: 'S',
      agentId: 'main',
      aliases: ['agent:main:main', 'agent:main:slack:channel:c001'],
      createdAt: Date.UTC(2026, 0, 1, 10),
      updatedAt: Date.UTC(2026, 0, 1, 11, 0, 0, 123),
      custom: {
        picoclaw: { created_at: '2026-01-01T10:00:00.000000001Z', updated_at: '2026-01-01T11:00:00.123456789Z' },
      },
    })
    expect((await store.verify()).problems).toEqual([])
  })

  it('without a key that says anything is named like its file', async () => {
    const store = openStore()
    await importFiles(store, { 'k.jsonl': logOf(talk(2)), 'k.meta.json': JSON.stringify({ key: ' \n', summary: 's' }) })
    expect(await store.getSummary('k')).toBe('s')
  })

  it('is found by its aliases, but not by the main alias that every session of its agent has', async () => {
    const store = openStore()
    await importFiles(store, {
      'k.jsonl': logOf(talk(2)),
      'k.meta.json': metaOf('k', { aliases: ['agent:main:main', 'agent:main:direct:p'] }),
    })
    expect(await store.resolveSessionKey('agent:main:direct:p')).toBe('k')
    expect(await store.resolveSessionKey('agent:main:main')).toBe(opaqueKey('agent:main:main'))
  })

  it('has the time of the message before where it says none', async () => {
    const store = openStore()
    await importFiles(store, { 'k.jsonl': logOf([says(0), { role: 'user', content: 'when?' }, says(2)]) })
    expect((await store.read('k')).entries.map(({ at }) => at)).toEqual(
      [timeAt(0), timeAt(0), timeAt(2)].map(Date.parse),
    )
    expect((await store.getHistory('k'))[1]).toEqual({ role: 'user', content: 'when?' })
  })

  it('that is the main session is found by the main alias', async () => {
    const store = openStore()
    const key = 'sk_v1_07acf90f25660558d2275b3eb6697626ac1341a7c8e4b9b3b80a3cb7a22ec0ef'
    await importFiles(store, {
      [`${key}.jsonl`]: logOf(talk(1)),
      [`${key}.meta.json`]: metaOf(key, { aliases: ['agent:sales:main'] }),
    })
    expect(await store.resolveSessionKey('agent:sales:main')).toBe(key)
  })

  it('leaves an alias to the session that has it', async () => {
    const store = openStore()
    await store.updateMeta('other', { aliases: ['agent:main:direct:p'] })
    await importFiles(store, {
      'k.jsonl': logOf(talk(1)),
      'k.meta.json': metaOf('k', { aliases: ['agent:main:direct:p'] }),
    })
    expect(await store.resolveSessionKey('agent:main:direct:p')).toBe('other')
    expect((await store.getMeta('k'))?.aliases).toEqual(['agent:main:direct:p'])
  })

  it('keeps a session of its own beside the one that has its key as an alias', async () => {
    const store = openStore()
    const files = {
      'agent_main_direct_p.jsonl': logOf(talk(2)),
      'agent_main_direct_p.meta.json': metaOf('agent:main:direct:p'),
      'sk_v1_a.jsonl': logOf(talk(3)),
      'sk_v1_a.meta.json': metaOf('sk_v1_a', { aliases: ['agent:main:direct:p'] }),
    }
    expect((await importFiles(store, files)).keys).toEqual(['agent:main:direct:p', 'sk_v1_a'])
    expect([...(await store.listSessions()).sessions].map(({ messageCount }) => messageCount).sort()).toEqual([2, 3])
  })
})

describe('what PicoClaw hides', () => {
  it('is hidden, and can be reclaimed', async () => {
    const store = openStore()
    await importFiles(store, {
      't.jsonl': logOf(talk(10)),
      't.meta.json': metaOf('t', { summary: 'first six', skip: 6, count: 10 }),
    })
    expect(await contents(store, 't')).toEqual(['msg 6', 'msg 7', 'msg 8', 'msg 9'])
    expect((await store.read('t', { view: 'raw' })).entries).toHaveLength(10)
    expect(await store.reclaim('t')).toBe(6)
    expect(await contents(store, 't')).toEqual(['msg 6', 'msg 7', 'msg 8', 'msg 9'])
  })

  it.each<[string, (string | object)[], number, string[]]>([
    ['empty lines do not count', ['', says(0), '', says(1), says(2)], 1, ['msg 1', 'msg 2']],
    ['corrupt lines count', [says(0), 'NOT JSON', says(1), says(2)], 2, ['msg 1', 'msg 2']],
    [
      'thoughts that led to nothing count',
      [says(0), { role: 'assistant', content: ' ', reasoning_content: 'hm' }, says(1)],
      2,
      ['msg 1'],
    ],
    ['more than there are hides all', talk(3), 9, []],
  ])('is told by lines: %s', async (_, lines, skip, left) => {
    const store = openStore()
    await importFiles(store, { 'k.jsonl': logOf(lines as never[]), 'k.meta.json': metaOf('k', { skip }) })
    expect(await contents(store, 'k')).toEqual(left)
  })

  it('in the middle of a turn leaves the rest of it', async () => {
    const store = openStore()
    const lines = [says(0, 'user'), says(1, 'assistant'), says(2, 'assistant'), says(3, 'assistant')]
    await importFiles(store, { 'k.jsonl': logOf(lines), 'k.meta.json': metaOf('k', { skip: 2 }) })
    expect(await contents(store, 'k')).toEqual(['msg 2', 'msg 3'])
  })

  it('leaves what was appended here', async () => {
    const store = openStore()
    const file = (skip: number) => ({
      'k.jsonl': logOf(talk(6)),
      'k.meta.json': metaOf('k', { skip, updated_at: `2026-01-01T11:0${skip}:00Z` }),
    })
    await importFiles(store, file(0))
    await store.addMessage('k', 'user', 'mine')
    await importFiles(store, file(6))
    expect(await contents(store, 'k')).toEqual(['mine'])
    await store.addMessage('k', 'assistant', 'yours')
    expect(await contents(store, 'k')).toEqual(['mine', 'yours'])
  })
})

describe('after a crash', () => {
  it('a stale count says nothing', async () => {
    const store = openStore()
    expect(
      await importFiles(store, { 'k.jsonl': logOf(talk(3)), 'k.meta.json': metaOf('k', { count: 1 }) }),
    ).toMatchObject({ added: 3, skippedCount: 0 })
    expect(await contents(store, 'k')).toHaveLength(3)
  })

  it('a torn tail is skipped, and what is appended next is not lost', async () => {
    const store = openStore()
    const files = {
      'k.jsonl': `${logOf(talk(1))}{"role":"user","content":"incompl`,
      'k.meta.json': metaOf('k', { count: 1 }),
    }
    expect((await importFiles(store, files)).skipped).toEqual([
      { file: 'k.jsonl', line: 2, reason: 'it is incomplete: the file ends in the middle of it' },
    ])
    await store.addMessage('k', 'user', 'next')
    expect(await contents(store, 'k')).toEqual(['msg 0', 'next'])
    expect(await importFiles(store, files)).toMatchObject({ added: 0, known: 1 })
    expect(await contents(store, 'k')).toEqual(['msg 0', 'next'])
  })

  it('a message that PicoClaw appended behind a torn line is found', async () => {
    const store = openStore()
    const { skipped, added } = await importFiles(store, {
      'k.jsonl': logOf([says(0), `{"role":"user","content":"in \\"{\\"role\\":\\"${JSON.stringify(says(1))}`, says(2)]),
    })
    expect([added, skipped.map(({ line }) => line)]).toEqual([3, [2]])
    expect(await contents(store, 'k')).toEqual(['msg 0', 'msg 1', 'msg 2'])
  })

  it.each<[string, string, RegExp]>([
    ['is not JSON', 'NOT JSON', /not JSON/],
    ['is null', 'null', /null instead of a message/],
    ['is an empty object', '{}', /no role/],
    ['names its fields otherwise', '{"Role":"user","Content":"x"}', /no role/],
    ['has a number as content', '{"role":"user","content":3}', /not a string/],
    [
      'is a thought that led to nothing',
      '{"role":"assistant","content":"","reasoning_content":"hm"}',
      /only reasoning without a reply/,
    ],
    ['is over the limit', `{"role":"user","content":"${'x'.repeat(17 * 1024 * 1024)}"}`, /16 MiB/],
  ])('a line that %s costs no other', async (_, line, reason) => {
    const store = openStore()
    const { added, skipped } = await importFiles(store, { 'k.jsonl': logOf([says(0), line, says(1)]) })
    expect({ added, skipped }).toEqual({
      added: 2,
      skipped: [{ file: 'k.jsonl', line: 2, reason: expect.stringMatching(reason) }],
    })
    expect(await contents(store, 'k')).toEqual(['msg 0', 'msg 1'])
  })

  it('a line of more than 10 MiB comes in, which PicoClaw can no longer read', async () => {
    const store = openStore()
    const content = 'x'.repeat(11 * 1024 * 1024)
    expect(await importFiles(store, { 'k.jsonl': logOf([says(0), { role: 'user', content }]) })).toMatchObject({
      added: 2,
    })
    expect((await contents(store, 'k'))[1]).toBe(content)
  })

  it.each([
    ['{"key": "k", "skip": 1', /not JSON/],
    ['[]', /no metadata/],
    ['', /not JSON/],
  ])('metadata that reads %j costs no message', async (meta, reason) => {
    const store = openStore()
    const report = await importFiles(store, { 'k.jsonl': logOf(talk(2)), 'k.meta.json': meta })
    expect(report).toMatchObject({
      keys: ['k'],
      added: 2,
      skipped: [{ file: 'k.meta.json', line: 0, reason: expect.stringMatching(reason) }],
    })
    expect(await contents(store, 'k')).toHaveLength(2)
  })

  it('a malformed scope is left out, and said', async () => {
    const store = openStore()
    const report = await importFiles(store, {
      'k.jsonl': logOf(talk(1)),
      'k.meta.json': metaOf('k', { summary: 'S', scope: { version: 7 } }),
    })
    expect(report.skipped).toMatchObject([{ file: 'k.meta.json', reason: expect.stringMatching(/version/) }])
    expect(await store.getMeta('k')).toMatchObject({ summary: 'S' })
  })

  it('metadata without a log is a session without messages', async () => {
    const store = openStore()
    expect(await importFiles(store, { 'k.meta.json': metaOf('a:b', { summary: 'S', scope }) })).toMatchObject({
      keys: ['a:b'],
      added: 0,
      skippedCount: 0,
      leftDeleted: [],
    })
    expect(await store.getSummary('a:b')).toBe('S')
    expect(await store.getSessionScope('a:b')).toEqual(scope)
  })

  it('a log without metadata has the name of its file as key', async () => {
    const store = openStore()
    expect((await importFiles(store, { 'agent_main_x.jsonl': logOf(talk(2)) })).keys).toEqual(['agent_main_x'])
  })

  it('a key that the metadata does not say is the alias that gives this file name', async () => {
    const store = openStore()
    const { key: _, ...fields } = JSON.parse(metaOf('')) as Record<string, unknown>
    const files = {
      'agent_main_direct_p.jsonl': logOf(talk(2)),
      'agent_main_direct_p.meta.json': JSON.stringify({
        ...fields,
        aliases: ['agent:main:main', 'agent:main:direct:p'],
      }),
    }
    expect((await importFiles(store, files)).keys).toEqual(['agent:main:direct:p'])
  })

  it('a second file of one session is left out, and said', async () => {
    const store = openStore()
    const report = await importFiles(store, { 'x/k.jsonl': logOf(talk(2)), 'y/k.jsonl': logOf(talk(5, 3)) })
    expect(report).toMatchObject({
      keys: ['k'],
      added: 2,
      skipped: [{ file: 'y/k.jsonl', line: 0, reason: expect.stringContaining('x/k.jsonl') }],
    })
  })
})

describe('a session of the time before JSONL', () => {
  const legacy = (fields = {}) =>
    JSON.stringify({
      key: 'telegram:123',
      messages: [says(0), null, says(1)],
      summary: 'S',
      created: '2026-01-01T09:00:00.5Z',
      updated: '2026-01-01T11:00:00Z',
      ...fields,
    })

  it('comes in with its summary, and with its times', async () => {
    const store = openStore()
    const report = await importFiles(store, { 'telegram_123.json': legacy() })
    expect(report).toMatchObject({
      keys: ['telegram:123'],
      added: 2,
      skipped: [{ file: 'telegram_123.json', line: 0, reason: expect.stringContaining('message 2') }],
    })
    expect(await store.getMeta('telegram:123')).toMatchObject({
      summary: 'S',
      createdAt: Date.UTC(2026, 0, 1, 9, 0, 0, 500),
      updatedAt: Date.UTC(2026, 0, 1, 11),
    })
  })

  it.each([
    ['{invalid json', /not JSON/],
    ['{"jobs":[]}', /not a session of PicoClaw/],
    ['[1]', /not a session of PicoClaw/],
  ])('that reads %j is skipped, and the others come in', async (text, reason) => {
    const store = openStore()
    expect(await importFiles(store, { 'broken.json': text, 'k.jsonl': logOf(talk(1)) })).toMatchObject({
      keys: ['k'],
      skipped: [{ file: 'broken.json', reason: expect.stringMatching(reason) }],
    })
  })

  it('yields to the log that PicoClaw made of it', async () => {
    const store = openStore()
    const report = await importFiles(store, {
      'telegram_123.json': legacy(),
      'telegram_123.jsonl': logOf(talk(4)),
      'telegram_123.meta.json': metaOf('telegram:123'),
    })
    expect(report).toMatchObject({ keys: ['telegram:123'], added: 4, skipped: [{ file: 'telegram_123.json' }] })
  })
})

describe('the same directory again', () => {
  const files = (to: number, fields = {}) => ({
    'k.jsonl': logOf([...talk(to), ...talk(1)]),
    'k.meta.json': metaOf('k', { summary: 'S', skip: 2, aliases: ['agent:main:direct:p'], scope, ...fields }),
    'old.json': JSON.stringify({ key: 'old', messages: talk(3), created: timeAt(0), updated: timeAt(2) }),
  })

  it('writes nothing', async () => {
    const store = openStore()
    const first = await importFiles(store, files(6))
    const before = [await store.changes('k'), await store.changes('old'), await store.getMeta('k')]
    expect(await importFiles(store, files(6))).toEqual({ ...first, added: 0, known: first.added })
    expect([await store.changes('k'), await store.changes('old'), await store.getMeta('k')]).toEqual(before)
  })

  it('gives the same entries on another device, at another time', async () => {
    const [here, there] = [openStore(), openStore(() => Date.UTC(2031, 0, 1))]
    await importFiles(here, files(6))
    await importFiles(there, files(6))
    expect(await there.changes('k')).toEqual(await here.changes('k'))
  })

  it('adds what is new when it has grown, with what it says by then', async () => {
    const store = openStore()
    await importFiles(store, files(6))
    const grown = { ...files(6, { skip: 6, summary: 'T', updated_at: '2026-01-01T12:00:00Z' }) }
    grown['k.jsonl'] += logOf(talk(9, 7))
    expect(await importFiles(store, grown)).toMatchObject({ added: 2, known: 10 })
    expect(await contents(store, 'k')).toEqual(['msg 0', 'msg 7', 'msg 8'])
    expect(await store.getSummary('k')).toBe('T')
  })

  it('hides what PicoClaw has taken out of its log meanwhile', async () => {
    const store = openStore()
    await importFiles(store, { 'k.jsonl': logOf(talk(6)), 'k.meta.json': metaOf('k') })
    await store.addMessage('k', 'user', 'mine')
    const compacted = {
      'k.jsonl': logOf(talk(8, 4)),
      'k.meta.json': metaOf('k', { updated_at: '2026-01-01T12:00:00Z' }),
    }
    expect(await importFiles(store, compacted)).toMatchObject({ added: 2, known: 2 })
    expect(await contents(store, 'k')).toEqual(['msg 4', 'msg 5', 'msg 6', 'msg 7', 'mine'])
  })

  it('does not touch what was done here', async () => {
    const store = openStore()
    await importFiles(store, files(6))
    await store.updateMeta('k', { summary: 'mine', aliases: [], title: 'Mine' })
    const [first] = (await store.read('k')).entries
    await store.edit('k', first!, { role: 'user', content: 'edited' })
    const before = await store.getMeta('k')
    expect(await importFiles(store, files(6))).toMatchObject({ added: 0 })
    expect(await store.getMeta('k')).toEqual(before)
    expect(await store.resolveSessionKey('agent:main:direct:p')).toBe('agent:main:direct:p')
  })

  it('takes a new message that says what another one was edited to', async () => {
    const store = openStore()
    await importFiles(store, { 'k.jsonl': logOf(talk(1)) })
    await store.edit('k', (await store.read('k')).entries[0]!, says(1) as never)
    expect(await importFiles(store, { 'k.jsonl': logOf(talk(2)) })).toMatchObject({ added: 1, known: 1 })
    expect(await contents(store, 'k')).toEqual(['msg 1', 'msg 1'])
  })

  it('keeps what was appended here last', async () => {
    const store = openStore()
    await importFiles(store, { 'k.jsonl': logOf(talk(2)) })
    await store.addMessage('k', 'user', 'mine')
    await importFiles(store, { 'k.jsonl': logOf(talk(4)) })
    expect(await contents(store, 'k')).toEqual(['msg 0', 'msg 1', 'msg 2', 'msg 3', 'mine'])
  })

  it('brings a deleted session back', async () => {
    const store = openStore()
    await importFiles(store, files(6))
    await store.delete('k')
    expect(await importFiles(store, files(6))).toMatchObject({ added: 0 })
    expect(await contents(store, 'k')).toHaveLength(5)
  })

  it('knows an export of what was written here', async () => {
    const store = openStore()
    await importFiles(store, files(6))
    await store.addMessage('k', 'user', 'mine')
    const [entry] = (await store.read('k', { last: 2 })).entries
    await store.edit('k', entry!, { role: 'user', content: 'edited' })
    await store.setCompaction('k', { summary: 'C', keepLast: 2 })
    const before = [await store.getHistory('k'), (await store.read('k', { limit: 100 })).entries.length]
    expect(await importFiles(store, await exported(store))).toMatchObject({ added: 0 })
    expect([await store.getHistory('k'), (await store.read('k', { limit: 100 })).entries.length]).toEqual(before)
  })
})

describe('the import', () => {
  it('refuses what holds no session', async () => {
    await expect(importFiles(openStore(), { 'notes.txt': 'hello' })).rejects.toMatchObject({ name: 'InvalidInput' })
  })

  it('tells how far it is, and comes to the end', async () => {
    const seen: JobProgress[] = []
    const files = {
      'a.jsonl': logOf(talk(50)),
      'a.meta.json': metaOf('a'),
      'b.jsonl': logOf(talk(50)),
      'readme.md': 'x'.repeat(100),
    }
    await importFiles(openStore(), files, { onProgress: (progress) => seen.push(progress) })
    const totalBytes = files['a.jsonl'].length + files['a.meta.json'].length + files['b.jsonl'].length
    expect(seen.at(-1)).toEqual({ readBytes: totalBytes, totalBytes, entries: 100, skipped: 0 })
    expect(seen.every(({ readBytes }, i) => i === 0 || readBytes >= seen[i - 1]!.readBytes)).toBe(true)
  })

  it('that is cancelled keeps whole sessions only, and another one adds the rest', async () => {
    const store = openStore()
    const files = {
      'a.jsonl': logOf(talk(9)),
      'b.jsonl': logOf(Array.from({ length: 2000 }, (_, i) => ({ role: 'user', content: `${i}` }))),
    }
    const ending = new AbortController()
    const merge = store.merge
    let merges = 0
    const watched = {
      ...store,
      merge: (...args: Parameters<typeof merge>) => ((merges += 1) === 3 && ending.abort(), merge(...args)),
    }
    await expect(importFiles(watched, files, { signal: ending.signal })).rejects.toMatchObject({ name: 'Aborted' })
    expect((await store.listSessions()).sessions.map(({ key }) => key)).toEqual(['a'])
    expect(await importFiles(store, files)).toMatchObject({ added: 2000, known: 9 })
  })
})
