import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/contract/json.ts'
import { importFiles } from '../../src/files/import-files.ts'
import {
  blobOf,
  chatGpt,
  chatSays,
  everything,
  filesOf,
  lines,
  linesOf,
  msAt,
  openStore,
  said,
  uuid,
} from './support/foreign-exports.ts'

/** Reads a file, and reads it again, which adds nothing; gives what every line says, the head's first. */
async function linesOfFile(file: Blob, key: string): Promise<readonly (readonly string[])[]> {
  const store = openStore()
  const { added, skippedCount } = await importFiles(store, file)
  expect(skippedCount).toBe(0)
  const before = await everything(store)
  expect(await importFiles(store, file)).toMatchObject({ added: 0, known: added })
  expect(await everything(store)).toEqual(before)
  return lines(store, key)
}

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => `${(from + i) % 2 === 1 ? 'user' : 'assistant'}: ${from + i}`)

describe('in a log of Claude Code, a line without a parent that is not the first', () => {
  const key = 'claude-code:s'
  const line = (n: number, parent: number | null | undefined, more: JsonObject = {}): JsonObject => ({
    ...(parent === undefined ? {} : { parentUuid: parent === null ? null : uuid(parent) }),
    isSidechain: false,
    sessionId: 's',
    type: n % 2 === 1 ? 'user' : 'assistant',
    uuid: uuid(n),
    timestamp: new Date(msAt(n)).toISOString(),
    message: { role: n % 2 === 1 ? 'user' : 'assistant', content: String(n) },
    ...more,
  })
  const chain = (from: number, to: number, first: number | null): JsonObject[] =>
    Array.from({ length: to - from + 1 }, (_, i) => line(from + i, i === 0 ? first : from + i - 1))

  it.each<[string, JsonObject[]]>([
    ['after a compaction that names nothing', [...chain(1, 6, null), ...chain(7, 11, null)]],
    ['after a resume', [...chain(1, 4, null), ...chain(5, 8, null), ...chain(9, 11, null)]],
    ['in a log that chains nothing', Array.from({ length: 11 }, (_, i) => line(i + 1, null))],
    ['in a log that has no such field', Array.from({ length: 11 }, (_, i) => line(i + 1, undefined))],
    ['behind a parent that is nowhere', [...chain(1, 6, null), ...chain(7, 11, 999)]],
    [
      'behind a logical parent that is nowhere',
      [...chain(1, 6, null), line(7, null, { logicalParentUuid: uuid(999) }), ...chain(8, 11, 7)],
    ],
  ])('continues the line before it: %s', async (_, file) => {
    expect(await linesOfFile(linesOf(file), key)).toEqual([numbered(1, 11)])
  })

  it('continues the line that it names as its logical parent, and real siblings are branches', async () => {
    const file = [...chain(1, 4, null), line(6, 3), line(5, null, { logicalParentUuid: uuid(4) })]
    expect(await linesOfFile(linesOf(file), key)).toEqual([
      ['user: 1', 'assistant: 2', 'user: 3', 'assistant: 4', 'user: 5'],
      ['user: 1', 'assistant: 2', 'user: 3', 'assistant: 6'],
    ])
  })

  it('continues a side chain only where it is of its agent', async () => {
    const side = (n: number, parent: number | null | undefined, agentId?: string): JsonObject =>
      line(n, parent, { isSidechain: true, ...(agentId === undefined ? {} : { agentId }) })
    const file = [
      line(1, null),
      side(21, null),
      side(22, 21),
      line(2, null),
      side(31, null),
      side(41, null, 'a'),
      side(43, null, 'a'),
      side(51, undefined, 'b'),
      side(53, undefined, 'b'),
      line(3, 2),
    ]
    const found = await linesOfFile(linesOf(file), key)
    expect(found[0]).toEqual(['user: 1', 'assistant: 2', 'user: 3'])
    expect(
      found
        .slice(1)
        .map((one) => one.join(' '))
        .sort(),
    ).toEqual(['user: 21 assistant: 22', 'user: 31', 'user: 41 user: 43', 'user: 51 user: 53'])
  })

  it('hangs where it belongs when its parent came in with another file', async () => {
    const store = openStore()
    await importFiles(store, linesOf([...chain(1, 4, null), line(6, 3)]))
    await importFiles(store, linesOf([line(11, 6), line(13, 4)]))
    expect((await lines(store, key)).map((one) => one.at(-1))).toEqual(['user: 13', 'user: 11'])
  })
})

describe('in an export of ChatGPT, a node without a parent that is not the first', () => {
  const key = `chatgpt:${uuid(1)}`
  const says = (n: number): JsonObject => chatSays(n, n % 2 === 1 ? 'user' : 'assistant', String(n))
  const node = (n: number, parent: string | null, children: readonly string[] = []): [string, JsonObject] => [
    `n${n}`,
    { id: `n${n}`, message: says(n), parent, children: [...children] },
  ]
  const file = (mapping: readonly (readonly [string, JsonObject])[], current: string): Blob =>
    blobOf([chatGpt(uuid(1), [], { mapping: Object.fromEntries(mapping), current_node: current })])
  const root = ['root', { id: 'root', message: null, parent: null, children: ['n1'] }] as const

  it.each([
    ['several roots', [root, node(1, 'root'), node(2, 'n1'), node(3, null), node(4, 'n3')]],
    ['a parent that is not there', [root, node(1, 'root'), node(2, 'n1'), node(3, 'gone'), node(4, 'n3')]],
    ['nothing chained', [node(1, null), node(2, null), node(3, null), node(4, null)]],
    ['in another order', [node(4, 'n3'), node(3, 'gone'), node(2, 'n1'), node(1, 'root'), root]],
    [
      'only its parent names it',
      [root, node(1, 'root', ['n2']), node(2, null, ['n3']), node(3, 'gone', ['n4']), node(4, null)],
    ],
  ])('continues what came before it: %s', async (_, mapping) => {
    expect(await linesOfFile(file(mapping, 'n4'), key)).toEqual([numbered(1, 4)])
  })

  it('is a branch where its siblings hang from the same root', async () => {
    expect(
      await linesOfFile(file([root, node(1, 'root'), node(2, 'n1'), node(3, 'root'), node(4, 'n3')], 'n4'), key),
    ).toEqual([
      ['user: 3', 'assistant: 4'],
      ['user: 1', 'assistant: 2'],
    ])
  })
})

describe('in an export of Claude.ai, a message without a parent that is not the first', () => {
  const key = `claude:${uuid(1)}`
  const root = '00000000-0000-4000-8000-000000000000'
  const says = (n: number, parent?: string | null): JsonObject => ({
    uuid: uuid(n),
    sender: n % 2 === 1 ? 'human' : 'assistant',
    text: String(n),
    content: [{ type: 'text', text: String(n) }],
    created_at: new Date(msAt(n)).toISOString(),
    ...(parent === undefined ? {} : { parent_message_uuid: parent }),
  })
  const file = (...messages: JsonObject[]): Blob =>
    blobOf([
      {
        uuid: uuid(1),
        name: 'T',
        created_at: new Date(msAt(0)).toISOString(),
        updated_at: new Date(msAt(9)).toISOString(),
        chat_messages: messages,
      },
    ])

  it.each([
    ['null', null],
    ['empty', ''],
    ['not there', uuid(99)],
  ])('continues what came before it: %s', async (_, parent) => {
    expect(await linesOfFile(file(says(1, root), says(2, uuid(1)), says(3, parent), says(4, uuid(3))), key)).toEqual([
      numbered(1, 4),
    ])
    expect(await linesOfFile(file(says(1, parent), says(2, parent), says(3, parent), says(4, parent)), key)).toEqual([
      numbered(1, 4),
    ])
  })

  it('is a branch where both name the root', async () => {
    expect(await linesOfFile(file(says(1, root), says(2, uuid(1)), says(3, root)), key)).toEqual([
      ['user: 3'],
      ['user: 1', 'assistant: 2'],
    ])
  })
})

describe('in an export of Open WebUI, a message without a parent that is not the first', () => {
  const key = `open-webui:${uuid(1)}`
  const says = (n: number, parentId: string | null, childrenIds: readonly string[] = []): [string, JsonObject] => [
    `n${n}`,
    {
      id: `n${n}`,
      parentId,
      childrenIds: [...childrenIds],
      role: n % 2 === 1 ? 'user' : 'assistant',
      content: String(n),
      timestamp: msAt(n) / 1000,
    },
  ]
  const file = (current: string, ...messages: readonly (readonly [string, JsonObject])[]): Blob =>
    blobOf([
      {
        id: uuid(1),
        title: 'T',
        created_at: msAt(0) / 1000,
        updated_at: msAt(9) / 1000,
        chat: { history: { currentId: current, messages: Object.fromEntries(messages) } },
      },
    ])

  it.each([
    ['a parent that is not there', [says(1, null), says(2, 'n1'), says(3, 'gone'), says(4, 'n3')]],
    ['a reply without a parent', [says(1, null), says(2, null), says(3, 'n2'), says(4, 'n3')]],
    ['nothing chained', [says(1, null), says(2, null), says(3, null), says(4, null)]],
    ['only its parent names it', [says(1, null, ['n2']), says(2, null, ['n3']), says(3, null, ['n4']), says(4, null)]],
  ])('continues what came before it: %s', async (_, messages) => {
    expect(await linesOfFile(file('n4', ...messages), key)).toEqual([numbered(1, 4)])
  })

  it('is a branch where it is the first question, asked anew', async () => {
    expect(await linesOfFile(file('n4', says(1, null), says(2, 'n1'), says(3, null), says(4, 'n3')), key)).toEqual([
      ['user: 3', 'assistant: 4'],
      ['user: 1', 'assistant: 2'],
    ])
  })
})

describe('in a log of Aixgo, an entry without a parent that is not the first', () => {
  const entry = (n: number, parent: number | null): JsonObject => ({
    id: `e${n}`,
    ...(parent === null ? {} : { parentId: `e${parent}` }),
    timestamp: new Date(msAt(n)).toISOString(),
    type: 'message',
    data: {
      id: `m${n}`,
      metadata: {},
      payload: JSON.stringify({ content: String(n) }),
      timestamp: new Date(msAt(n)).toISOString(),
      type: n % 2 === 1 ? 'user' : 'assistant',
    },
  })
  async function read(...entries: JsonObject[]): Promise<readonly (readonly string[])[]> {
    const store = openStore()
    const files = filesOf({
      'helper/s.jsonl': linesOf(entries),
      'helper/sessions.json': {
        s: {
          id: 's',
          agentName: 'helper',
          createdAt: new Date(msAt(0)).toISOString(),
          updatedAt: new Date(msAt(9)).toISOString(),
          messageCount: entries.length,
          currentLeaf: entries.at(-1)!['id']!,
        },
      },
    })
    expect(await importFiles(store, files)).toMatchObject({ keys: ['aixgo:s'], added: entries.length, skippedCount: 0 })
    expect(await importFiles(store, files)).toMatchObject({ added: 0 })
    return lines(store, 'aixgo:s')
  }

  it('continues the line before it where nothing is chained, or its parent is not there', async () => {
    expect(await read(entry(1, null), entry(2, null), entry(3, null), entry(4, null))).toEqual([numbered(1, 4)])
    expect(await read(entry(1, null), entry(2, 1), entry(3, 99), entry(4, 3))).toEqual([numbered(1, 4)])
  })

  it('is a branch in a log that is chained: there the session was restored to its start', async () => {
    expect(await read(entry(1, null), entry(2, 1), entry(3, null))).toEqual([['user: 3'], ['user: 1', 'assistant: 2']])
  })
})

it('in a log of pi, an entry without a parent is a root, as pi has it', async () => {
  const store = openStore()
  const entry = (n: number, parentId: string | null): JsonObject => ({
    type: 'message',
    id: `e${n}`,
    parentId,
    timestamp: new Date(msAt(n)).toISOString(),
    message: { role: 'user', content: String(n), timestamp: msAt(n) },
  })
  await importFiles(
    store,
    linesOf([
      { type: 'session', version: 3, id: 's', timestamp: new Date(msAt(0)).toISOString(), cwd: '/' },
      entry(1, null),
      entry(2, 'e1'),
      entry(3, null),
    ]),
  )
  expect(await said(store, 'pi:s')).toEqual(['user: 3'])
})
