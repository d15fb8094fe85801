import { describe, expect, it } from 'vitest'
import { growReply } from '../../../src/adapters/tanstack-ai/grow-reply.ts'
import { fromStored } from '../../../src/adapters/tanstack-ai/thread-message.ts'
import type { ThreadMessage } from '../../../src/adapters/tanstack-ai/thread-types.ts'
import type { DraftPart } from '../../../src/contract/change.ts'
import type { JsonObject } from '../../../src/contract/json.ts'
import { joinParts } from '../../../src/domain/join-parts.ts'
import { replyMessage } from '../../../src/domain/reply-message.ts'

/** Journals each version of a reply, and gives what is read of the journal when the reply is cut off then. */
function cutOff(versions: readonly (readonly object[])[], fields: object = {}): ThreadMessage | undefined {
  const pieces: DraftPart[] = []
  const grow = growReply({
    write: (text) => joinParts(pieces, [{ type: 'text', text }]),
    writeReasoning: (text) => joinParts(pieces, [{ type: 'reasoning', text }]),
    writePart: (part) => joinParts(pieces, [{ type: 'part', part }]),
  })
  for (const parts of versions) grow({ id: 'm', role: 'assistant', ...fields, parts } as ThreadMessage)
  const message = JSON.parse(JSON.stringify(replyMessage('assistant', pieces, 'interrupted'))) as JsonObject
  return fromStored({ id: '1.0', branch: '', order: 'o', type: 'message', at: 0, turn: '', mid: 'm', message })
}

const text = (content: string) => ({ type: 'text', content })
const thinking = (content: string, more: object = {}) => ({ type: 'thinking', content, ...more })
const call = (args: string, more: object = {}) => ({ type: 'tool-call', id: 'c', name: 'n', arguments: args, ...more })

describe('a reply that is cut off', () => {
  it.each<[string, readonly (readonly object[])[]]>([
    ['text', [[], [text('a')], [text('ab')], [text('abc')]]],
    [
      'thoughts between texts',
      [
        [thinking('a')],
        [thinking('ab')],
        [thinking('ab'), text('c')],
        [thinking('ab'), text('cd'), thinking('e')],
        [thinking('ab'), text('cd'), thinking('ef')],
      ],
    ],
    ['two texts one behind the other', [[text('a')], [text('a'), text('b')], [text('a'), text('bc')]]],
    [
      'thoughts that are signed and go on',
      [[thinking('a')], [thinking('a', { signature: 's' })], [thinking('ab', { signature: 's' })]],
    ],
    ['text that is replaced', [[text('abc')], [text('x')], [text('xy')]]],
    [
      'an earlier part that changes',
      [
        [call('{'), text('a')],
        [call('{}'), text('a')],
        [call('{}'), text('ab')],
      ],
    ],
    [
      'a call whose input grows and is complete',
      [[call('')], [call('{"a"')], [call('{"a":1}')], [call('{"a":1}', { state: 'complete', input: { a: 1 } })]],
    ],
    ['a part that is taken back', [[text('a'), call('{')], [text('a')], [text('ab')]]],
    [
      'a part with dates and bytes',
      [[{ type: 'tool-result', toolCallId: 'c', content: [{ at: new Date(1), bytes: Uint8Array.of(1) }] }]],
    ],
    [
      'parts of other kinds',
      [
        [
          { type: 'ui-resource', resource: { uri: 'ui://a' } },
          { type: 'text', content: 'a', text: 'b' },
        ],
      ],
    ],
  ])('has %s as it was', (_, versions) => {
    expect(cutOff(versions)).toEqual({ id: 'm', role: 'assistant', parts: versions.at(-1) })
  })

  it('has its other fields', () => {
    const fields = { createdAt: new Date(5), metadata: { model: 'x' } }
    expect(cutOff([[text('a')], [text('ab')]], fields)).toEqual({
      id: 'm',
      role: 'assistant',
      ...fields,
      parts: [text('ab')],
    })
  })

  it('has the raw text of structured output, without what was read of it', () => {
    const part = (raw: string) => ({ type: 'structured-output', status: 'streaming', raw, partial: { raw } })
    expect(cutOff([[part('{')], [part('{"a')]])?.parts).toMatchObject([{ status: 'streaming', raw: '{"a' }])
  })
})
