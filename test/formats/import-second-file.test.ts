import { describe, expect, it } from 'vitest'
import type { SourceFile } from '../../src/contract/job.ts'
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
  uuid,
} from './support/foreign-exports.ts'

type Source = Blob | SourceFile[]

/**
 * Reads files one after the other, and then all of them again, which adds nothing; gives what every line says, the
 * head's first.
 */
async function linesOfFiles(key: string, ...files: readonly Source[]): Promise<readonly (readonly string[])[]> {
  const store = openStore()
  for (const file of files) expect(await importFiles(store, file)).toMatchObject({ skippedCount: 0 })
  const before = await everything(store)
  for (const file of files) expect(await importFiles(store, file)).toMatchObject({ added: 0 })
  expect(await everything(store)).toEqual(before)
  return lines(store, key)
}

const isUsers = (n: number): boolean => n % 2 === 1
const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => `${isUsers(from + i) ? 'user' : 'assistant'}: ${from + i}`)
const time = (n: number): string => new Date(msAt(n)).toISOString()
const upTo = <T>(from: number, to: number, make: (n: number, parent: number | null) => T): T[] =>
  Array.from({ length: to - from + 1 }, (_, i) => make(from + i, i === 0 ? null : from + i - 1))

describe('a second file of one session, in which nothing of the first is', () => {
  const says = (n: number): JsonObject => ({ role: isUsers(n) ? 'user' : 'assistant', content: String(n) })
  const code = (n: number, parent: number | null, more: JsonObject = {}): JsonObject => ({
    parentUuid: parent === null ? null : uuid(parent),
    isSidechain: false,
    sessionId: 's',
    type: isUsers(n) ? 'user' : 'assistant',
    uuid: uuid(n),
    timestamp: time(n),
    message: says(n),
    ...more,
  })
  const chat = (n: number, parent: number | null): [string, JsonObject] => [
    `n${n}`,
    {
      id: `n${n}`,
      message: chatSays(n, isUsers(n) ? 'user' : 'assistant', String(n)),
      parent: parent === null ? null : `n${parent}`,
      children: [],
    },
  ]
  const claude = (n: number, parent: number | null): JsonObject => ({
    uuid: uuid(n),
    sender: isUsers(n) ? 'human' : 'assistant',
    text: String(n),
    content: [{ type: 'text', text: String(n) }],
    created_at: time(n),
    parent_message_uuid: parent === null ? null : uuid(parent),
  })
  const webUi = (n: number, parent: number | null): [string, JsonObject] => [
    `n${n}`,
    {
      id: `n${n}`,
      parentId: parent === null ? null : `n${parent}`,
      childrenIds: [],
      ...says(n),
      timestamp: msAt(n) / 1000,
    },
  ]
  const panel = (n: number): JsonObject => ({ type: 'message', message: says(n), timestamp: msAt(n) })
  const aixgo = (n: number, parent: number | null): JsonObject => ({
    id: `e${n}`,
    ...(parent === null ? {} : { parentId: `e${parent}` }),
    timestamp: time(n),
    type: 'message',
    data: {
      id: `m${n}`,
      metadata: {},
      payload: JSON.stringify({ content: String(n) }),
      timestamp: time(n),
      type: isUsers(n) ? 'user' : 'assistant',
    },
  })
  const nothingChained = (make: (n: number, parent: null) => [string, JsonObject]) => (n: number) => make(n, null)

  const codeFile = (from: number, to: number): Blob => linesOf(upTo(from, to, code))
  const chatFile = (from: number, to: number): Blob =>
    blobOf([chatGpt(uuid(1), [], { mapping: Object.fromEntries(upTo(from, to, chat)), current_node: `n${to}` })])
  const claudeFile = (from: number, to: number): Blob =>
    blobOf([
      { uuid: uuid(1), name: 'T', created_at: time(0), updated_at: time(9), chat_messages: upTo(from, to, claude) },
    ])
  const webUiFile = (from: number, to: number, make = webUi): Blob =>
    blobOf([
      {
        id: uuid(1),
        title: 'T',
        created_at: msAt(0) / 1000,
        updated_at: msAt(9) / 1000,
        chat: { history: { currentId: `n${to}`, messages: Object.fromEntries(upTo(from, to, make)) } },
      },
    ])
  const panelFile = (from: number, to: number): SourceFile[] =>
    filesOf({
      'agents/bot/sessions/ses-1.jsonl': linesOf([
        { type: 'session', version: 3, agentId: 'bot', createdAt: msAt(0) },
        ...upTo(from, to, panel),
      ]),
    })
  const aixgoFile = (from: number, to: number): SourceFile[] =>
    filesOf({
      'helper/s.jsonl': linesOf(upTo(from, to, aixgo)),
      'helper/sessions.json': {
        s: {
          id: 's',
          agentName: 'helper',
          createdAt: time(0),
          updatedAt: time(9),
          messageCount: 1,
          currentLeaf: `e${to}`,
        },
      },
    })

  it.each<[string, string, (from: number, to: number) => Source]>([
    ['Claude Code', 'claude-code:s', codeFile],
    ['ChatGPT', `chatgpt:${uuid(1)}`, chatFile],
    ['Claude.ai', `claude:${uuid(1)}`, claudeFile],
    ['Open WebUI', `open-webui:${uuid(1)}`, (from, to) => webUiFile(from, to, nothingChained(webUi))],
    ['ai-panel', 'ai-panel:bot:ses-1', panelFile],
    ['Aixgo', 'aixgo:s', aixgoFile],
  ])('continues the line before it: %s', async (_, key, file) => {
    expect(await linesOfFiles(key, file(1, 4), file(5, 8), file(9, 11))).toEqual([numbered(1, 11)])
  })

  it('continues the line that the first file shows, not the side chain or the reply beside it', async () => {
    const first = [
      ...upTo(1, 4, code),
      code(21, null, { isSidechain: true, agentId: 'a' }),
      code(24, 3),
      code(6, 3),
      code(31, null, { isSidechain: true, agentId: 'a' }),
    ]
    expect((await linesOfFiles('claude-code:s', linesOf(first), codeFile(7, 9)))[0]).toEqual([
      'user: 1',
      'assistant: 2',
      'user: 3',
      'assistant: 6',
      ...numbered(7, 9),
    ])
  })

  it('begins side chains of its own', async () => {
    const found = await linesOfFiles(
      'claude-code:s',
      codeFile(1, 4),
      linesOf([code(21, null, { isSidechain: true, agentId: 'a' }), ...upTo(5, 6, code)]),
    )
    expect(found).toEqual([numbered(1, 6), ['user: 21']])
  })

  it('is a branch where its first question was asked anew: Open WebUI, Claude.ai, lists of messages', async () => {
    const root = '00000000-0000-4000-8000-000000000000'
    const asked = (n: number): Blob =>
      blobOf([
        {
          uuid: uuid(1),
          name: 'T',
          created_at: time(0),
          updated_at: time(9),
          chat_messages: [{ ...claude(n, null), parent_message_uuid: root }, claude(n + 1, n)],
        },
      ])
    const list = (...numbers: number[]): Blob => blobOf([{ id: 'c', messages: numbers.map(says) }])
    const anew = [
      ['user: 3', 'assistant: 4'],
      ['user: 1', 'assistant: 2'],
    ]
    expect(await linesOfFiles(`open-webui:${uuid(1)}`, webUiFile(1, 2), webUiFile(3, 4))).toEqual(anew)
    expect(await linesOfFiles(`claude:${uuid(1)}`, asked(1), asked(3))).toEqual(anew)
    expect(await linesOfFiles('openai:c', list(1, 2), list(3, 4))).toEqual(anew)
  })
})
