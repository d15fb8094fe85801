import { describe, expect, it, vi } from 'vitest'
import type { ExportFormat, SourceFile } from '../../src/contract/job.ts'
import type { JsonObject } from '../../src/contract/json.ts'
import type { Message } from '../../src/contract/message.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { exportFiles } from '../../src/files/export-files.ts'
import { importFiles } from '../../src/files/import-files.ts'
import { messagePieces } from '../../src/formats/message-pieces.ts'
import { openStore } from './support/picoclaw-files.ts'

vi.setConfig({ testTimeout: 30_000 })

/** A conversation as the AI SDK has it: everything is said in `parts`. */
const chat: readonly Message[] = [
  { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Where is it?' }] },
  {
    id: 'a',
    role: 'assistant',
    parts: [
      { type: 'step-start' },
      { type: 'reasoning', text: 'hm', state: 'done' },
      { type: 'text', text: 'Let me look.', state: 'done' },
      { type: 'tool-find', toolCallId: 'c1', state: 'output-available', input: { q: 'x' }, output: 'found' },
      { type: 'tool-find', toolCallId: 'c2', state: 'output-error', input: { q: 'y' }, errorText: 'lost' },
      { type: 'step-start' },
      { type: 'text', text: 'There it is.', state: 'done' },
    ],
  },
]

async function storeOf(messages: readonly Message[], key = 'k'): Promise<SessionStore> {
  const store = openStore()
  await store.append(
    key,
    messages.map((message) => ({ type: 'message' as const, message, mid: String(message['id']) })),
  )
  await store.updateMeta(key, { agentId: 'main' })
  return store
}

const textOf = async (files: readonly SourceFile[], ending: RegExp): Promise<string> =>
  files.find(({ path }) => ending.test(path))!.blob.text()
const linesOf = async (files: readonly SourceFile[]): Promise<JsonObject[]> =>
  (await textOf(files, /\.jsonl$/))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject)

/** Where each format has the messages of a conversation. */
const messagesIn: Readonly<Record<string, (files: readonly SourceFile[]) => Promise<unknown>>> = {
  pi: async (files) => (await linesOf(files)).flatMap(({ message }) => message ?? []),
  picoclaw: linesOf,
  'ai-panel': async (files) => (await linesOf(files)).flatMap(({ message }) => message ?? []),
  aixgo: async (files) =>
    (await linesOf(files)).map(({ data }) => JSON.parse((data as JsonObject)['payload'] as string) as unknown),
  agently: async (files) => (JSON.parse(await textOf(files, /\.json$/)) as JsonObject)['full_chat_history'],
}

/** What the reply says, in the form of imported conversations. */
const content = [
  { type: 'thinking', thinking: 'hm' },
  { type: 'text', text: 'Let me look.' },
  { type: 'tool_use', id: 'c1', name: 'find', input: { q: 'x' } },
  { type: 'tool_result', tool_use_id: 'c1', content: 'found' },
  { type: 'tool_use', id: 'c2', name: 'find', input: { q: 'y' } },
  { type: 'tool_result', tool_use_id: 'c2', content: 'lost', is_error: true },
  { type: 'text', text: 'There it is.' },
]
const inContent = [{ content: 'Where is it?' }, { content }]

const piResult = (toolCallId: string, text: string, isError: boolean) => ({
  role: 'toolResult',
  toolCallId,
  toolName: 'find',
  content: [{ type: 'text', text }],
  isError,
})
const calls = (['c1', 'c2'] as const).map((id, i) => ({
  id,
  type: 'function',
  function: { name: 'find', arguments: JSON.stringify({ q: 'xy'[i] }) },
}))

it.each<[ExportFormat, unknown]>([
  ['ai-panel', inContent],
  ['aixgo', inContent],
  ['agently', inContent],
  [
    'pi',
    [
      { role: 'user', content: 'Where is it?' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'Let me look.' },
          { type: 'toolCall', id: 'c1', name: 'find', arguments: { q: 'x' } },
          { type: 'toolCall', id: 'c2', name: 'find', arguments: { q: 'y' } },
        ],
        stopReason: 'toolUse',
      },
      piResult('c1', 'found', false),
      piResult('c2', 'lost', true),
      { role: 'assistant', content: [{ type: 'text', text: 'There it is.' }], stopReason: 'stop' },
    ],
  ],
  [
    'picoclaw',
    [
      { role: 'user', content: 'Where is it?' },
      { role: 'assistant', content: 'Let me look.', reasoning_content: 'hm', tool_calls: calls },
      { role: 'tool', content: 'found', tool_call_id: 'c1' },
      { role: 'tool', content: 'lost', tool_call_id: 'c2' },
      { role: 'assistant', content: 'There it is.' },
    ],
  ],
])('what is said in parts is where %s has what was said', async (format, expected) => {
  const found = await messagesIn[format]!(await exportFiles(await storeOf(chat), format))
  expect(found).toMatchObject(expected as object[])
  expect(JSON.stringify(found)).not.toContain('"parts"')
})

/** The same reply as the adapter of TanStack AI stores it. */
const tanStackReply: Message = {
  id: 'a',
  role: 'assistant',
  parts: [
    { type: 'thinking', content: 'hm' },
    { type: 'text', text: 'Let me look.' },
    { type: 'tool-call', id: 'c1', name: 'find', arguments: '{"q":"x"}', state: 'complete', output: 'found' },
    { type: 'tool-result', toolCallId: 'c1', content: 'found', state: 'complete' },
    { type: 'tool-call', id: 'c2', name: 'find', arguments: '{"q":"y"}', state: 'error', output: { error: 'lost' } },
    { type: 'tool-result', toolCallId: 'c2', content: 'lost', state: 'error', error: 'lost' },
    { type: 'text', text: 'There it is.' },
  ],
}

it('a reply of TanStack AI is written as the same reply of the AI SDK is', async () => {
  const files = await exportFiles(await storeOf([tanStackReply]), 'ai-panel')
  expect(await messagesIn['ai-panel']!(files)).toMatchObject([{ content }])
})

/** What messages say, in their order: calls before results, because some formats have them so. */
function saidIn(messages: readonly Message[]): Readonly<Record<string, readonly string[]>> {
  const pieces = messages.flatMap(messagePieces)
  return {
    text: pieces.flatMap((piece) => (piece.kind === 'text' ? piece.text.split('\n') : [])),
    calls: pieces.flatMap((piece) => (piece.kind === 'call' ? [`${piece.id} ${piece.name} ${piece.arguments}`] : [])),
    results: pieces.flatMap((piece) => (piece.kind === 'result' ? [`${piece.callId} ${piece.text}`] : [])),
  }
}

it.each(['archive', 'pi', 'picoclaw', 'ai-panel', 'aixgo', 'agently', 'openai', 'openai-lines'] as const)(
  'what is said in parts comes back from %s',
  async (format) => {
    const other = openStore()
    const report = await importFiles(other, await exportFiles(await storeOf(chat), format))
    expect(report.skipped).toEqual([])
    expect(saidIn(await other.getHistory(report.keys[0]!))).toEqual(saidIn(chat))
  },
)

it('what is said in parts can be read as Markdown', async () => {
  const [file] = await exportFiles(await storeOf(chat), 'markdown')
  const text = await file!.blob.text()
  for (const said of ['Where is it?', 'Let me look.', 'There it is.']) expect(text).toContain(`\n${said}\n`)
})

describe('an export of messages with parts', () => {
  it.each([
    ['picoclaw', 'k'],
    ['agently', 'k'],
    // A log of pi comes back into the session that its id names.
    ['pi', 'pi:k'],
  ] as const)('to %s adds nothing where it came from, and what goes on there follows it', async (format, key) => {
    const store = await storeOf(chat, key)
    await store.updateMeta(key, { id: 'k' })
    const files = await exportFiles(store, format)
    expect(await importFiles(store, files)).toMatchObject({ added: 0, skipped: [] })
    if (format === 'agently') return
    const log = files.find(({ path }) => path.endsWith('.jsonl'))!
    const more =
      format === 'pi'
        ? { type: 'message', id: 'new', parentId: 'a.3', message: { role: 'user', content: 'Thanks' } }
        : { role: 'user', content: 'Thanks', created_at: '2026-10-01T10:00:00Z' }
    const grown = { path: log.path, blob: new Blob([log.blob, `${JSON.stringify(more)}\n`]) }
    const others = files.filter((file) => file !== log)
    expect(await importFiles(store, [grown, ...others])).toMatchObject({ added: 1, skipped: [] })
    expect((await store.getHistory(key)).map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(await store.listBranches(key)).toHaveLength(1)
  })

  it('to PicoClaw counts and hides its lines', async () => {
    const store = await storeOf([...chat, { id: 'v', role: 'user', content: 'Thanks' }])
    await store.truncateHistory('k', 1)
    const files = await exportFiles(store, 'picoclaw')
    expect(JSON.parse(await textOf(files, /\.meta\.json$/))).toMatchObject({ skip: 5, count: 6 })
  })

  it('to pi has a branch behind the last line of what it forks from', async () => {
    const store = await storeOf([...chat, { id: 'v', role: 'user', content: 'Thanks' }])
    const [, reply] = (await store.read('k', { after: '' })).entries
    await store.openBranch('k', { after: reply! })
    await store.append('k', [{ type: 'message', message: { role: 'user', content: 'No' }, mid: 'w' }])
    const lines = await linesOf(await exportFiles(store, 'pi'))
    const parents = new Map(lines.map(({ id, parentId }) => [id, parentId]))
    expect([parents.get('v'), parents.get('w')]).toEqual(['a.3', 'a.3'])
  })
})

it('a message without anything that is known in its parts stays as it is', async () => {
  const message: Message = { id: 'g', role: 'user', parts: [{ text: 'of Gemini' }] }
  expect(await messagesIn['ai-panel']!(await exportFiles(await storeOf([message]), 'ai-panel'))).toMatchObject([
    { parts: [{ text: 'of Gemini' }] },
  ])
})

it('files beside the text stay with it', async () => {
  const picture = 'data:image/png;base64,AA=='
  const parts = [
    { type: 'text', text: 'see' },
    { type: 'file', mediaType: 'image/png', url: picture },
    { type: 'file', mediaType: 'text/plain', filename: 'notes.txt', url: 'blob:0f' },
  ]
  const store = await storeOf([{ id: 'f', role: 'user', parts }])
  expect(await messagesIn['picoclaw']!(await exportFiles(store, 'picoclaw'))).toMatchObject([
    { content: 'see', media: [picture], attachments: [parts[2]] },
  ])
  expect(await messagesIn['ai-panel']!(await exportFiles(store, 'ai-panel'))).toMatchObject([{ content: parts }])
})
