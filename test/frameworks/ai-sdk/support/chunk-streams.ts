import type { UIMessageChunk } from 'ai'
import fc from 'fast-check'

/** What a run of chunks does: each is valid after the ones before, as servers send them. */
type Step = readonly UIMessageChunk[]

const word = fc.constantFrom('', 'one ', 'two', ' 👋', '\n', '{"a":', '1}')
const metadata = fc.option(fc.constantFrom({ p: { signature: 'x' } }, { q: { n: 1 } }), { nil: undefined })
/** A chunk without the fields that have no value. */
const given = (fields: object): UIMessageChunk =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as UIMessageChunk

/** A text or a reasoning, complete or cut off. */
const text = fc
  .record({
    kind: fc.constantFrom('text' as const, 'reasoning' as const),
    id: fc.constantFrom('0', '1'),
    deltas: fc.array(fc.tuple(word, metadata), { maxLength: 4 }),
    providerMetadata: metadata,
    ends: fc.boolean(),
  })
  .map(
    ({ kind, id, deltas, providerMetadata, ends }): Step => [
      given({ type: `${kind}-start`, id, providerMetadata }),
      ...deltas.map(([delta, own]) => given({ type: `${kind}-delta`, id, delta, providerMetadata: own })),
      ...(ends ? [given({ type: `${kind}-end`, id, providerMetadata })] : []),
    ],
  )

/** Two texts at once, as merged streams have them. */
const interleaved = fc.constantFrom<Step>(
  [
    { type: 'text-start', id: 'a' },
    { type: 'text-delta', id: 'a', delta: 'A1' },
    { type: 'text-start', id: 'b' },
    { type: 'text-delta', id: 'b', delta: 'B1' },
    { type: 'text-delta', id: 'a', delta: 'A2' },
    { type: 'text-end', id: 'a' },
    { type: 'text-delta', id: 'b', delta: 'B2' },
    { type: 'text-end', id: 'b' },
  ],
  [
    { type: 'reasoning-start', id: 'a' },
    { type: 'text-start', id: 'a' },
    { type: 'reasoning-delta', id: 'a', delta: 'why' },
    { type: 'text-delta', id: 'a', delta: 'so' },
    { type: 'reasoning-delta', id: 'a', delta: ' not' },
    { type: 'text-end', id: 'a' },
    { type: 'reasoning-end', id: 'a' },
  ],
)

const ends = ['none', 'output', 'preliminary', 'error', 'input-error', 'approval', 'approved', 'denied'] as const

/** A call of a tool, up to some state. */
const call = fc
  .record({
    toolCallId: fc.uuid(),
    toolName: fc.constantFrom('weather', 'search'),
    dynamic: fc.option(fc.constant(true), { nil: undefined }),
    title: fc.option(fc.constant('Weather'), { nil: undefined }),
    providerExecuted: fc.option(fc.boolean(), { nil: undefined }),
    providerMetadata: metadata,
    end: fc.constantFrom(...ends),
    isStreamed: fc.boolean(),
  })
  .map(({ end, isStreamed, providerMetadata, ...call }): Step => {
    const { toolCallId } = call
    const input = { city: 'Oslo' }
    const ask = { type: 'tool-approval-request', approvalId: `ok-${toolCallId}`, toolCallId, reason: 'costs' } as const
    const answer = {
      type: 'tool-approval-response',
      approvalId: `ok-${toolCallId}`,
      approved: end !== 'denied',
    } as const
    const output = { type: 'tool-output-available', toolCallId, output: [1, { two: null }], providerMetadata } as const
    const rest: Readonly<Record<(typeof ends)[number], Step>> = {
      none: [],
      output: [given(output)],
      preliminary: [given({ ...output, preliminary: true }), given(output)],
      error: [{ type: 'tool-output-error', toolCallId, errorText: 'no' }],
      'input-error': [],
      approval: [ask],
      approved: [ask, answer, given(output)],
      denied: [ask, answer, { type: 'tool-output-denied', toolCallId }],
    }
    const start: Step = [
      given({ type: 'tool-input-start', ...call, providerMetadata }),
      { type: 'tool-input-delta', toolCallId, inputTextDelta: '{"city":' },
      { type: 'tool-input-delta', toolCallId, inputTextDelta: '"Oslo"}' },
    ]
    const available =
      end === 'input-error'
        ? // The SDK ignores the title here.
          given({ ...call, type: 'tool-input-error', title: undefined, input: 'x', errorText: 'bad' })
        : given({ type: 'tool-input-available', ...call, input, providerMetadata })
    return [...(isStreamed ? start : []), available, ...rest[end]]
  })

const others = fc.constantFrom<Step>(
  [{ type: 'file', mediaType: 'image/png', url: 'https://example.org/a.png' }],
  [{ type: 'reasoning-file', mediaType: 'image/png', url: 'https://example.org/b.png' }],
  [{ type: 'source-url', sourceId: 's', url: 'https://example.org', title: 'Example' }],
  [{ type: 'source-document', sourceId: 'd', mediaType: 'text/plain', title: 'Doc', filename: 'doc.txt' }],
  [{ type: 'custom', kind: 'openai.thing', providerMetadata: { openai: { x: 1 } } }],
  [
    { type: 'data-weather', id: 'w', data: { status: 'loading' } },
    { type: 'data-weather', id: 'w', data: { status: 'done' } },
  ],
  [{ type: 'data-note', data: 'x' }],
  [{ type: 'data-note', data: 'gone', transient: true }],
  [{ type: 'message-metadata', messageMetadata: { usage: { total: 3 }, tags: ['a'] } }],
  [{ type: 'message-metadata', messageMetadata: { usage: { input: 1 }, tags: ['b'] } }],
  [{ type: 'finish-step' }, { type: 'start-step' }],
  [{ type: 'reset-step' }],
)

/** Streams of UI messages without their `start`, in every order of the kinds of parts. */
export const chunkStreams: fc.Arbitrary<readonly UIMessageChunk[]> = fc
  .array(fc.oneof(text, call, interleaved, others), { maxLength: 8 })
  .map((steps) => [{ type: 'start-step' } as const, ...steps.flat()])
