import fc from 'fast-check'
import { gzipSync, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { isSessionError } from '../../src/contract/errors.ts'
import type { JsonObject, JsonValue } from '../../src/contract/json.ts'
import { importFiles } from '../../src/files/import-files.ts'
import { blobOf, chatSays, everything, forked, linesOf, openStore } from './support/foreign-exports.ts'

/** A value of each dialect that has everything its reader looks at. */
const samples: Readonly<Record<string, JsonValue>> = {
  chatgpt: [
    forked('s', {
      mapping: {
        a: {
          id: 'a',
          parent: null,
          message: chatSays(1, 'user', 'x', {
            content: {
              content_type: 'multimodal_text',
              parts: ['x', { content_type: 'image_asset_pointer', asset_pointer: 'p' }],
            },
            metadata: { attachments: [{ name: 'n', id: 'i' }] },
          }),
        },
        b: {
          id: 'b',
          parent: 'a',
          message: chatSays(2, 'assistant', '', { recipient: 'python', content: { content_type: 'code', text: 'x' } }),
        },
        c: {
          id: 'c',
          parent: 'b',
          message: chatSays(3, 'tool', '', { content: { content_type: 'execution_output', text: 'y' } }),
        },
        d: {
          id: 'd',
          parent: 'c',
          message: chatSays(4, 'assistant', '', {
            content: { content_type: 'thoughts', thoughts: [{ summary: 's', content: 'c' }] },
          }),
        },
      },
    }),
  ],
  claude: [
    {
      uuid: 's',
      name: 'n',
      summary: 'm',
      created_at: '2026-01-01T00:00:00Z',
      project: { uuid: 'p', name: 'q' },
      chat_messages: [
        {
          uuid: 'a',
          sender: 'human',
          text: 't',
          content: [{ type: 'text', text: 't' }],
          attachments: [{ file_name: 'f', extracted_content: 'e' }],
          files: [{ file_name: 'g', file_uuid: 'h' }],
          parent_message_uuid: '00000000-0000-4000-8000-000000000000',
        },
        {
          uuid: 'b',
          sender: 'assistant',
          text: '',
          content: [
            { type: 'tool_use', id: 'u', name: 'x', input: {} },
            { type: 'tool_result', tool_use_id: 'u', content: [] },
          ],
          parent_message_uuid: 'a',
        },
      ],
    },
  ],
  'open-webui': [
    {
      id: 's',
      title: 't',
      meta: { tags: ['x'] },
      chat: {
        models: ['m'],
        history: {
          currentId: 'b',
          messages: {
            a: {
              id: 'a',
              parentId: null,
              role: 'user',
              content: 'x',
              timestamp: 1,
              files: [{ name: 'f', file: { filename: 'f' } }],
            },
            b: {
              id: 'b',
              parentId: 'a',
              role: 'assistant',
              content: '<details type="reasoning">r</details>',
              output: [
                { type: 'function_call', call_id: 'c', name: 'n', arguments: '{}' },
                { type: 'message', content: [{ text: 'y' }] },
              ],
              error: { content: 'e' },
            },
          },
        },
      },
    },
  ],
  sharegpt: [
    {
      id: 's',
      conversations: [
        { from: 'human', value: 'x' },
        { from: 'function_call', value: '{"name":"f","arguments":{}}' },
        { from: 'observation', value: 'y' },
      ],
    },
  ],
  'ai-sdk': [
    {
      id: 'c',
      title: 't',
      messages: [
        { id: 'u', role: 'user', parts: [{ type: 'text', text: 'x' }], metadata: { createdAt: 1 } },
        {
          id: 'a',
          role: 'assistant',
          parts: [{ type: 'tool-f', toolCallId: 'c', state: 'output-available', input: {}, output: 'y' }],
        },
      ],
    },
  ],
  openai: [
    {
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'x' }] },
        { role: 'assistant', content: null, tool_calls: [{ id: 'c', function: {} }] },
      ],
    },
  ],
  'claude-code': [
    {
      type: 'user',
      uuid: 'a',
      parentUuid: null,
      sessionId: 's',
      timestamp: '2026-01-01T00:00:00Z',
      message: { role: 'user', content: 'x' },
    },
    {
      type: 'system',
      uuid: 'b',
      parentUuid: null,
      logicalParentUuid: 'a',
      sessionId: 's',
      subtype: 'compact_boundary',
      content: 'x',
    },
    {
      type: 'user',
      uuid: 'c',
      parentUuid: 'b',
      sessionId: 's',
      isCompactSummary: true,
      message: { role: 'user', content: 'x' },
    },
    {
      type: 'assistant',
      uuid: 'd',
      parentUuid: 'c',
      sessionId: 's',
      message: { role: 'assistant', content: [{ type: 'text', text: 'y' }], usage: {} },
    },
    { type: 'summary', leafUuid: 'd', summary: 't' },
  ],
}

/** How many values lie in a value, itself included. */
const size = (value: JsonValue): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, one) => sum + size(one as JsonValue), 1)
    : 1

/** The value with its n-th part replaced. */
function replaced(value: JsonValue, n: number, by: JsonValue): JsonValue {
  if (n === 0) return by
  let left = n - 1
  const part = (one: JsonValue): JsonValue => {
    const count = size(one)
    const next = left >= 0 && left < count ? replaced(one, left, by) : one
    left -= count
    return next
  }
  if (Array.isArray(value)) return (value as JsonValue[]).map(part)
  return Object.fromEntries(Object.entries(value as JsonObject).map(([key, one]) => [key, part(one!)]))
}

/** Imports a file that may be anything: it is taken, or refused by name and leaves nothing. */
async function survives(file: Blob): Promise<void> {
  const store = openStore()
  const before = await everything(store)
  try {
    const report = await importFiles(store, file)
    expect(await importFiles(store, file)).toMatchObject({ added: 0 })
    expect(report.added).toBeGreaterThanOrEqual(0)
  } catch (error) {
    expect(isSessionError(error), String(error)).toBe(true)
    expect(await everything(store)).toEqual(before)
  }
  expect((await store.verify()).problems).toEqual([])
}

describe('whatever is in a file', () => {
  it.each(Object.entries(samples))('of %s, it is taken or refused by name', async (dialect, sample) => {
    const write =
      dialect === 'claude-code' ? (value: JsonValue) => linesOf(Array.isArray(value) ? value : [value]) : blobOf
    expect((await importFiles(openStore(), write(sample))).sessions[0]?.dialect).toBe(dialect)
    const odd = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom<JsonValue>(
        '',
        '__proto__',
        'constructor',
        '\ud800',
        -1,
        1e308,
        null,
        [],
        {},
        [null],
        [[]],
        [{}],
        { type: 'text' },
        'a',
        's',
      ),
    )
    await fc.assert(
      fc.asyncProperty(fc.nat(size(sample) - 1), odd, async (n, by) => survives(write(replaced(sample, n, by)))),
      { numRuns: 60 },
    )
  })

  it('and however its bytes are damaged, it is taken or refused by name', async () => {
    const text = new TextEncoder().encode(JSON.stringify(samples['chatgpt']))
    const forms = [text, zipSync({ 'a.json': text, 'b.json': [text, { level: 0 }] }), gzipSync(text)]
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...forms),
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255)), { maxLength: 3 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.boolean(),
        async (form, flips, end, isCut) => {
          const bytes = form.slice(0, isCut ? Math.floor(end * form.length) : form.length) as Uint8Array<ArrayBuffer>
          for (const [at, byte] of flips)
            if (bytes.length > 0) bytes[Math.min(bytes.length - 1, Math.floor(at * bytes.length))] = byte
          await survives(new Blob([bytes]))
        },
      ),
      { numRuns: 80 },
    )
  })
})
