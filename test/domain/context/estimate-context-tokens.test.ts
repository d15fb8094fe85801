import fc from 'fast-check'
import { expect, it } from 'vitest'
import { estimateContextTokens } from '../../../src/domain/context/estimate-context-tokens.ts'
import { estimateTokens } from '../../../src/domain/tokens.ts'

const data = 'A'.repeat(400_000)
const uri = `data:image/png;base64,${data}`

it('counts texts as ai-panel does', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.array(fc.record({ type: fc.constant('text'), text: fc.string() }))),
      (content) => {
        expect(estimateContextTokens({ role: 'user', content })).toBe(estimateTokens({ content }))
      },
    ),
  )
  const parts = [{ type: 'text', text: 'hello' }]
  expect(estimateContextTokens({ role: 'user', parts } as never)).toBe(estimateTokens({ parts }))
  expect(estimateContextTokens({ role: 'user' } as never)).toBe(0)
})

it.each<[string, unknown]>([
  ['OpenAI’s', { type: 'image_url', image_url: { url: uri } }],
  ['the Responses API’s', { type: 'input_image', image_url: uri }],
  ['Anthropic’s', { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }],
  ['pi’s', { type: 'image', data, mimeType: 'image/png' }],
  ['the AI SDK’s', { type: 'image', image: data }],
])('counts an image of %s as 256 tokens', (_, image) => {
  expect(estimateContextTokens({ role: 'user', content: [image] as never })).toBe(256)
  expect(
    estimateContextTokens({ role: 'user', content: [{ type: 'text', text: 'what is' }, image, image] as never }),
  ).toBe(estimateTokens({ content: [{ type: 'text', text: 'what is' }] }) + 512)
})

it.each<[string, unknown]>([
  ['a UI message', { type: 'file', mediaType: 'image/png', url: uri }],
  ['OpenAI', { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${data}` } }],
  ['a model message', { type: 'file', mediaType: 'application/pdf', data }],
  ['Anthropic', { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } }],
  ['an audio part', { type: 'input_audio', input_audio: { data, format: 'mp3' } }],
  [
    'the result of a tool',
    { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'image', source: { type: 'base64', data } }] },
  ],
])('counts no base64 of %s as text', (_, part) => {
  const tokens = estimateContextTokens({ role: 'user', content: [part] as never })
  expect(tokens).toBeGreaterThanOrEqual(256)
  expect(tokens).toBeLessThan(300)
})

it('counts as text what a model gets as text', () => {
  for (const content of [
    uri,
    [{ type: 'text', text: uri }],
    [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data } }],
  ])
    expect(estimateContextTokens({ role: 'user', content: content as never })).toBe(estimateTokens({ content }))
})

it('counts the media of PicoClaw beside the text', () => {
  expect(estimateContextTokens({ role: 'user', content: 'x'.repeat(398), media: [uri, uri] })).toBe(612)
})
