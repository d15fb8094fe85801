import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/contract/json.ts'
import { importFiles } from '../../src/files/import-files.ts'
import { blobOf, lines, linesOf, messagesOf, msAt, openStore, said, uuid } from './support/foreign-exports.ts'

const timeAt = (n: number): string => new Date(msAt(n)).toISOString().replace('Z', '456+00:00')

describe('an export of Claude.ai', () => {
  const key = `claude:${uuid(1)}`
  const root = '00000000-0000-4000-8000-000000000000'
  const says = (n: number, sender: string, text: string, more: JsonObject = {}): JsonObject => ({
    uuid: uuid(n),
    text,
    content: [{ type: 'text', text, citations: [] }],
    sender,
    created_at: timeAt(n),
    updated_at: timeAt(n),
    attachments: [],
    files: [],
    ...more,
  })
  const conversation = (messages: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
    uuid: uuid(1),
    name: 'Trains',
    summary: 'About trains.',
    created_at: timeAt(0),
    updated_at: timeAt(40),
    account: { uuid: uuid(77) },
    chat_messages: messages,
    ...more,
  })

  it('of the time before is one line, each text once', async () => {
    const store = openStore()
    const report = await importFiles(
      store,
      blobOf([conversation([says(1, 'human', 'Hello'), says(2, 'assistant', 'Hi'), says(3, 'human', 'Bye')])]),
    )
    expect(report).toMatchObject({ keys: [key], added: 3, skippedCount: 0 })
    expect(await lines(store, key)).toEqual([['user: Hello', 'assistant: Hi', 'user: Bye']])
    expect(await store.getMeta(key)).toMatchObject({
      title: 'Trains',
      titleSource: 'auto',
      createdAt: msAt(0),
      updatedAt: msAt(40),
      custom: { claude: { summary: 'About trains.' } },
    })
    expect(await store.getSummary(key)).toBe('')
    expect(JSON.stringify(await store.getMeta(key))).not.toContain(uuid(77))
  })

  it('has branches where messages name their parents', async () => {
    const store = openStore()
    const tree = [
      says(1, 'human', 'Hello', { parent_message_uuid: root }),
      says(2, 'assistant', 'Hi', { parent_message_uuid: uuid(1) }),
      says(3, 'assistant', 'Hey', { parent_message_uuid: uuid(1) }),
      says(4, 'human', 'Bye', { parent_message_uuid: uuid(2) }),
    ]
    await importFiles(store, blobOf([conversation(tree)]))
    expect(await lines(store, key)).toEqual([
      ['user: Hello', 'assistant: Hi', 'user: Bye'],
      ['user: Hello', 'assistant: Hey'],
    ])
    const other = openStore()
    await importFiles(other, blobOf(conversation(tree, { current_leaf_message_uuid: uuid(3) })))
    expect((await said(other, key)).at(-1)).toBe('assistant: Hey')
  })

  it('keeps thinking, calls with their results, attached texts and files by name', async () => {
    const store = openStore()
    const content = [
      { type: 'thinking', thinking: 'Look it up.' },
      { type: 'tool_use', id: null, name: 'search', input: { q: 'trains' } },
      { type: 'tool_result', name: 'search', content: [{ type: 'text', text: 'none' }] },
      { type: 'tool_use', id: 'toolu_2', name: 'search', input: {} },
      { type: 'tool_result', tool_use_id: 'toolu_2', content: [] },
      { type: 'text', text: '' },
      { type: 'text', text: 'None.' },
    ]
    await importFiles(
      store,
      blobOf([
        conversation([
          says(1, 'human', 'Trains?', {
            attachments: [{ file_name: 'a.txt', file_size: 3, file_type: 'txt', extracted_content: 'abc' }],
            files: [{ file_name: 'b.png', file_uuid: 'f' }],
            files_v2: [{ file_name: 'b.png', file_uuid: 'f', file_kind: 'image' }],
          }),
          says(2, 'assistant', 'None.', { content }),
        ]),
      ]),
    )
    expect(await messagesOf(store, key)).toEqual([
      {
        role: 'user',
        content: 'Trains?',
        attachments: [
          { name: 'a.txt', mimeType: 'txt', size: 3, text: 'abc' },
          { name: 'b.png', id: 'f', kind: 'image' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Look it up.' },
          { type: 'tool_use', id: `${uuid(2)}-1`, name: 'search', input: { q: 'trains' } },
          {
            type: 'tool_result',
            tool_use_id: `${uuid(2)}-1`,
            name: 'search',
            content: [{ type: 'text', text: 'none' }],
          },
          { type: 'tool_use', id: 'toolu_2', name: 'search', input: {} },
          { type: 'tool_result', tool_use_id: 'toolu_2', content: [] },
          { type: 'text', text: 'None.' },
        ],
      },
    ])
  })

  it('has its text where the content is empty', async () => {
    const store = openStore()
    await importFiles(
      store,
      blobOf([conversation([says(1, 'human', 'Hello', { content: [] }), says(2, 'assistant', '', { content: [] })])]),
    )
    expect(await said(store, key)).toEqual(['user: Hello'])
  })
})

describe('a log of Claude Code', () => {
  const key = `claude-code:${uuid(1)}`
  const line = (
    n: number,
    parent: number | null,
    type: string,
    message: JsonObject | undefined,
    more: JsonObject = {},
  ): JsonObject => ({
    parentUuid: parent === null ? null : uuid(100 + parent),
    isSidechain: false,
    userType: 'external',
    cwd: '/home/mara/trains',
    sessionId: uuid(1),
    version: '2.1.0',
    gitBranch: 'main',
    type,
    uuid: uuid(100 + n),
    timestamp: new Date(msAt(n)).toISOString(),
    ...(message === undefined ? {} : { message }),
    ...more,
  })
  const user = (n: number, parent: number | null, content: JsonObject['x'], more: JsonObject = {}): JsonObject =>
    line(n, parent, 'user', { role: 'user', content: content! }, more)
  const assistant = (n: number, parent: number | null, content: JsonObject['x'], more: JsonObject = {}): JsonObject =>
    line(
      n,
      parent,
      'assistant',
      { id: `msg_${n}`, role: 'assistant', model: 'claude', content: content!, stop_reason: 'end_turn' },
      more,
    )

  const log = [
    { type: 'file-history-snapshot', messageId: uuid(5), snapshot: {} },
    user(1, null, 'Caveat: no answer needed', { isMeta: true }),
    user(2, 1, '<command-name>/clear</command-name>'),
    user(3, 2, 'List the files'),
    assistant(4, 3, [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }]),
    user(5, 4, [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'a.ts' }], {
      toolUseResult: { stdout: 'a.ts' },
    }),
    user(20, null, 'Search everything', { isSidechain: true }),
    assistant(21, 20, [{ type: 'text', text: 'Found' }], { isSidechain: true }),
    assistant(6, 5, [{ type: 'text', text: 'One file.' }]),
    { type: 'summary', summary: 'Listing files', leafUuid: uuid(106) },
  ]

  it('comes in as it was, what it said in the user’s name aside, and its side chains are lines of their own', async () => {
    const store = openStore()
    const report = await importFiles(store, linesOf(log))
    expect(report).toMatchObject({ keys: [key], added: 8, skippedCount: 0 })
    expect(await lines(store, key)).toEqual([
      [
        'custom_message: "Caveat: no answer needed"',
        'custom_message: "<command-name>/clear</command-name>"',
        'user: List the files',
        expect.stringContaining('tool_use'),
        expect.stringContaining('tool_result'),
        expect.stringContaining('One file.'),
      ],
      ['user: Search everything', expect.stringContaining('Found')],
    ])
    expect(await store.getMeta(key)).toMatchObject({
      title: 'Listing files',
      createdAt: msAt(1),
      updatedAt: msAt(21),
      custom: { 'claude-code': { cwd: '/home/mara/trains', gitBranch: 'main', version: '2.1.0' } },
    })
    expect(await importFiles(store, linesOf(log))).toMatchObject({ added: 0, known: 8 })
    expect(JSON.stringify(await messagesOf(store, key))).not.toContain('toolUseResult')
  })

  it('may hold several sessions, and an id twice, and lines that are torn', async () => {
    const store = openStore()
    const report = await importFiles(
      store,
      linesOf([
        user(1, null, 'One'),
        { ...user(1, null, 'Two'), sessionId: uuid(2) },
        'torn {',
        user(1, null, 'One'),
        user(1, null, 'Other'),
        '{"type":"user","sessi',
      ]),
    )
    expect(report).toMatchObject({ keys: [key, `claude-code:${uuid(2)}`], added: 2 })
    expect(report.skipped.map(({ line: at, reason }) => [at, reason.slice(0, 40)])).toEqual([
      [3, expect.stringContaining('it is not JSON')],
      [5, `entry "${uuid(101)}"`.slice(0, 40)],
      [6, expect.stringContaining('it is not JSON')],
    ])
    expect(await said(store, key)).toEqual(['user: One'])
  })

  it.each([0, 1])('may have a side chain in a file of its own, which is not shown (read as number %i)', async (at) => {
    const store = openStore()
    const files = [
      linesOf([user(1, null, 'One'), assistant(2, 1, 'Two')]),
      linesOf([user(20, null, 'Search', { isSidechain: true })]),
    ]
    for (const file of at === 0 ? files.toReversed() : files)
      expect(await importFiles(store, file)).toMatchObject({ keys: [key] })
    expect(await said(store, key)).toEqual(['user: One', 'assistant: Two'])
    expect((await lines(store, key)).flat()).toContain('user: Search')
  })

  it('goes on behind a compaction, which hides what was before it from the model', async () => {
    const store = openStore()
    await importFiles(
      store,
      linesOf([
        user(1, null, 'One'),
        assistant(2, 1, 'Two'),
        line(3, null, 'system', undefined, {
          subtype: 'compact_boundary',
          content: 'Conversation compacted',
          logicalParentUuid: uuid(102),
        }),
        user(4, 3, 'This session continues: one, two.', { isCompactSummary: true }),
        user(5, 4, 'Three'),
      ]),
    )
    expect(await said(store, key)).toEqual(['user: One', 'assistant: Two', 'user: Three'])
    expect((await store.getHistory(key)).map(({ content }) => content)).toEqual(['Three'])
    expect((await store.read(key, { view: 'context' })).hidden?.summary).toBe('This session continues: one, two.')
  })

  it('has lines without uuid in their place', async () => {
    const store = openStore()
    const { uuid: _, parentUuid: __, ...bare } = assistant(2, 1, 'Two')
    const file = [user(1, null, 'One'), bare]
    await importFiles(store, linesOf(file))
    expect(await importFiles(store, linesOf([...file, user(3, 1, 'Again')]))).toMatchObject({ added: 1, known: 2 })
    expect(await lines(store, key)).toEqual([
      ['user: One', 'user: Again'],
      ['user: One', 'assistant: Two'],
    ])
  })
})
