import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Fields } from '../../src/adapters/ai-sdk/ui-message.ts'
import { writeChunks } from '../../src/adapters/ai-sdk/write-chunks.ts'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { StreamOptions } from '../../src/client/message-stream-types.ts'
import type { ExportFormat } from '../../src/contract/job.ts'
import type { JsonObject } from '../../src/contract/json.ts'
import { openDirectStore } from '../../src/in-page/open-direct-store.ts'

let client: SessionClient
beforeEach(async () => {
  client = await openDirectStore({ name: 'cut-off', modes: ['memory'] })
})
afterEach(() => client.close())

const called: readonly Fields[] = [
  { type: 'start-step' },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Let me look.' },
  { type: 'text-end', id: 't' },
  { type: 'tool-input-start', toolCallId: 'c', toolName: 'find' },
  { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"q":' },
  { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '"x"}' },
  { type: 'tool-input-available', toolCallId: 'c', toolName: 'find', input: { q: 'x' } },
]
const found: Fields = { type: 'tool-output-available', toolCallId: 'c', output: 'found' }
const next: readonly Fields[] = [
  { type: 'start-step' },
  { type: 'text-start', id: 'u' },
  { type: 'text-delta', id: 'u', delta: 'There it' },
]

/** Journals chunks as the adapter does, and cuts the reply off as a crash does. */
async function cutOff(chunks: readonly Fields[], options?: StreamOptions): Promise<void> {
  const session = await client.session('k')
  const stream = session.stream(options)
  const write = writeChunks(stream)
  for (const chunk of chunks) write(chunk)
  await stream.abort({ stopped: false })
}

const exported = async (format: ExportFormat): Promise<string> => {
  const files = await client.files.export(format, { keys: ['k'] }).result
  return files[0]!.blob.text()
}
const piMessages = async (): Promise<unknown> =>
  (await exported('pi'))
    .trimEnd()
    .split('\n')
    .flatMap((line) => (JSON.parse(line) as JsonObject)['message'] ?? [])

const call = { id: 'c', type: 'function', function: { name: 'find', arguments: '{"q":"x"}' } }

it('a reply of the AI SDK that was cut off names each call once, with its name and its result', async () => {
  await cutOff([...called, found, ...next])
  expect(JSON.parse(await exported('openai'))).toEqual([
    { role: 'assistant', content: 'Let me look.', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c', content: 'found' },
    { role: 'assistant', content: 'There it' },
  ])
  const markdown = await exported('markdown')
  expect(markdown.match(/<summary>.*<\/summary>/g)).toEqual([
    '<summary>Tool call: find</summary>',
    '<summary>Result of find</summary>',
  ])
  expect(await piMessages()).toMatchObject([
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Let me look.' },
        { type: 'toolCall', id: 'c', name: 'find', arguments: { q: 'x' } },
      ],
    },
    { role: 'toolResult', toolCallId: 'c', toolName: 'find', content: [{ type: 'text', text: 'found' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'There it' }] },
  ])
})

it.each([
  ['has no result yet', [], null],
  ['failed', [{ type: 'tool-output-error', toolCallId: 'c', errorText: 'lost' }], 'lost'],
  ['was denied', [{ type: 'tool-output-denied', toolCallId: 'c' }], ''],
  ['told its result in several states', [{ ...found, output: 'half', preliminary: true }, found], 'found'],
] as const)('a call that %s in a reply that was cut off is one call', async (_, results, result) => {
  await cutOff([...called, ...results])
  expect(JSON.parse(await exported('openai'))).toEqual([
    { role: 'assistant', content: 'Let me look.', tool_calls: [call] },
    ...(result === null ? [] : [{ role: 'tool', tool_call_id: 'c', content: result }]),
  ])
})

it('a call whose input was cut off has the part that came', async () => {
  await cutOff(called.slice(0, -2))
  expect(JSON.parse(await exported('openai'))).toMatchObject([
    { tool_calls: [{ id: 'c', function: { name: 'find', arguments: '{"q":' } }] },
  ])
})

it('a journal names the tool whose input it has', async () => {
  await cutOff(called)
  const { entries } = await (await client.session('k')).page({ limit: 1 })
  expect(entries[0]?.message).toMatchObject({ tool_calls: [call] })
})

it('a reply that was cut off as it went on in a message has what that message had', async () => {
  const session = await client.session('k')
  const parts = [
    { type: 'text', text: 'Let me look.' },
    { type: 'tool-find', toolCallId: 'c', state: 'input-available', input: { q: 'x' } },
  ]
  await session.append({ role: 'assistant', parts, interrupted: true })
  const [resume] = await session.interrupted()
  await cutOff([found, ...next], { resume: resume! })
  expect(JSON.parse(await exported('openai'))).toEqual([
    { role: 'assistant', content: 'Let me look.', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c', content: 'found' },
    { role: 'assistant', content: 'There it' },
  ])
})
