import type { JsonObject } from '../contract/json.ts'
import type { Message } from '../contract/message.ts'

/** Messages as they come from providers and libraries, and what is hard about them. */
export const messages: Readonly<Record<string, Message>> = {
  'plain text': { role: 'user', content: 'Hello' },
  'an empty text': { role: 'assistant', content: '' },
  'a content of null': { role: 'assistant', content: null },
  'no content at all': { role: 'assistant' },
  'an empty list of parts': { role: 'user', content: [] },
  'a role of its own': { role: 'bashExecution', content: 'ls', command: 'ls -la', exitCode: 0 },
  'OpenAI tool calls': {
    role: 'assistant',
    content: null,
    refusal: null,
    tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'search', arguments: '{"q":"caf\\u00e9"}' } },
      { id: 'call_2', type: 'function', function: { name: 'constructor', arguments: '{}' } },
    ],
  },
  'an OpenAI tool result': { role: 'tool', tool_call_id: 'call_1', name: 'search', content: '[{"title":"A"}]' },
  'OpenAI content parts': {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
    ],
  },
  'Anthropic blocks': {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Let me see…', signature: 'EqQBCg==' },
      { type: 'text', text: 'I look it up.', citations: null },
      {
        type: 'tool_use',
        id: 'toolu_1',
        name: 'get_weather',
        input: { city: '東京', units: ['c', 'f'], nested: { deep: [[[{}]]] } },
      },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 12, output_tokens: 34, cache_read_input_tokens: 0 },
  },
  'an Anthropic tool result': {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 'toolu_1',
        is_error: false,
        content: [{ type: 'text', text: '21 °C' }],
        cache_control: { type: 'ephemeral' },
      },
    ],
  },
  'a message of pi': {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm' },
      { type: 'toolCall', id: 't1', name: 'read', arguments: { path: 'a.ts', offset: 1 } },
    ],
    api: 'anthropic-messages',
    provider: 'anthropic',
    model: 'claude',
    usage: {
      input: 1,
      output: 2,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 3,
      cost: { input: 0.000_003, output: 1e-7, total: 3.1e-6 },
    },
    stopReason: 'toolUse',
    timestamp: 1_730_000_000_000,
  },
  'a tool result of pi': {
    role: 'toolResult',
    toolCallId: 't1',
    toolName: 'read',
    content: [{ type: 'text', text: 'file' }],
    details: { lines: 3 },
    isError: false,
    timestamp: 1,
  },
  'a UIMessage of the AI SDK': {
    id: 'msg-1',
    role: 'assistant',
    metadata: { model: 'x', createdAt: 1_730_000_000_000, totalTokens: 12 },
    parts: [
      { type: 'step-start' },
      { type: 'reasoning', text: 'so', state: 'done', providerMetadata: { openai: { itemId: 'rs_1' } } },
      { type: 'text', text: 'Here.', state: 'done' },
      {
        type: 'tool-weather',
        toolCallId: 'c1',
        state: 'output-available',
        input: { city: 'Bern' },
        output: { degrees: -3.5 },
      },
      { type: 'dynamic-tool', toolName: 'x', toolCallId: 'c2', state: 'output-error', input: {}, errorText: 'no' },
      { type: 'source-url', sourceId: 's', url: 'https://example.com/?a=1&b=<2>' },
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==' },
      { type: 'data-chart', id: 'd1', data: { points: [1, 2, null] } },
    ],
  },
  'a message of PicoClaw': {
    role: 'user',
    content: 'see this',
    model_name: 'm',
    created_at: '2026-01-02T03:04:05.123456789Z',
    media: ['media://1', ''],
    attachments: [{ type: 'image', ref: 'media://1', filename: 'a b.png', content_type: 'image/png' }, {}],
    system_parts: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }],
  },
  'a tool call of PicoClaw': {
    role: 'assistant',
    content: '',
    reasoning_content: 'I call it.',
    tool_calls: [
      {
        id: 'p1',
        type: 'function',
        function: { name: 'f', arguments: '{}', thought_signature: 'sig' },
        extra_content: { google: { thought_signature: 'sig' }, tool_feedback_explanation: 'why' },
      },
    ],
  },
  'fields nobody knows': {
    role: 'user',
    content: 'x',
    'x-vendor': { a: [1, 'two', null, true, { b: {} }] },
    _private: false,
    '': 'empty key',
    ' ': 0,
  },
  'names of the language as keys': {
    role: 'assistant',
    content: 'x',
    constructor: 'c',
    prototype: { toString: 'text', valueOf: null, hasOwnProperty: true },
    tool: { constructor: { name: 'n' }, length: 3, then: 'no promise', toJSON: 'text' },
  },
  'keys like numbers, in their own order': {
    role: 'user',
    content: 'x',
    map: { '10': 'a', '2': 'b', b: 1, a: 2, '-1': 'c' },
  },
  'emoji and scripts': {
    role: 'user',
    content: '👩‍👩‍👧‍👦🏳️‍🌈 你好，世界 こんにちは 안녕 مرحبا שלום ไทย e\u0301 \u200Bzero\uFEFF',
    名前: '値',
    '🔑': '🔒',
  },
  'control characters and separators': {
    role: 'user',
    content: '\u0000\u0001\b\t\n\r\u001F"\\/\u2028\u2029\uFFFE\uFFFF',
  },
  'numbers at their limits': {
    role: 'user',
    content: 'x',
    n: [0, 1, -1, 0.1, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, 9_007_199_254_740_993, -9_007_199_254_740_991],
  },
  'a long text': { role: 'assistant', content: 'Long texts lie apart from the others. 長い '.repeat(4_000) },
  'a picture inside': {
    role: 'user',
    content: [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo'.repeat(10_000) } },
    ],
  },
  'many levels': { role: 'user', content: 'x', deep: nest(240) },
}

/** An object of so many levels. */
export function nest(levels: number): JsonObject {
  let value: JsonObject = { end: true }
  for (let i = 1; i < levels; i++) value = { in: value }
  return value
}
