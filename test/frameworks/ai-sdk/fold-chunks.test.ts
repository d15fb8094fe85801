import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import { convertArrayToReadableStream } from 'ai/test'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { foldChunks } from '../../../src/adapters/ai-sdk/fold-chunks.ts'
import { piecesOf, readPieces } from '../../../src/adapters/ai-sdk/read-pieces.ts'
import { restOfMessage } from '../../../src/adapters/ai-sdk/rest-of-message.ts'
import type { Fields, GrowingMessage } from '../../../src/adapters/ai-sdk/ui-message.ts'
import { writeChunks } from '../../../src/adapters/ai-sdk/write-chunks.ts'
import type { DraftPart } from '../../../src/contract/change.ts'
import { joinParts } from '../../../src/domain/join-parts.ts'
import { replyMessage } from '../../../src/domain/reply-message.ts'
import { chunkStreams } from './support/chunk-streams.ts'

/** What the AI SDK itself makes of chunks. */
async function bySdk(chunks: readonly UIMessageChunk[]): Promise<UIMessage> {
  const last: UIMessageChunk = { type: 'message-metadata', messageMetadata: { last: true } }
  let message: UIMessage | undefined
  const stream = convertArrayToReadableStream([{ type: 'start', messageId: 'm' }, ...chunks, last] as UIMessageChunk[])
  for await (const snapshot of readUIMessageStream({ stream })) message = snapshot
  return message!
}

function byUs(chunks: readonly Fields[]): GrowingMessage {
  const fold = foldChunks({ id: 'm', role: 'assistant', parts: [] })
  for (const chunk of [...chunks, { type: 'message-metadata', messageMetadata: { last: true } }]) fold.add(chunk)
  return fold.message
}

/**
 * As JSON has it. The input of a call that is still being written is left out, because only the SDK guesses it from the
 * half that is there; and so are fields that the SDK keeps as text of calls that have an error by now.
 */
function comparable(message: object): UIMessage {
  const { parts, ...rest } = JSON.parse(JSON.stringify(message)) as UIMessage
  return {
    ...rest,
    parts: parts.map((part) => {
      if (!('toolCallId' in part) || part.state !== 'input-streaming') return part
      const { input: _, ...known } = part
      return known as typeof part
    }),
  }
}

/** The pieces of a draft into which chunks were journalled. */
function journalled(chunks: readonly Fields[]): readonly DraftPart[] {
  const parts: DraftPart[] = []
  const add = (piece: DraftPart) => joinParts(parts, [JSON.parse(JSON.stringify(piece)) as DraftPart])
  const write = writeChunks({
    write: (text) => text !== '' && add({ type: 'text', text }),
    writeReasoning: (text) => text !== '' && add({ type: 'reasoning', text }),
    writeToolInput: ({ id, input = '' }) => add({ type: 'toolInput', id, input }),
    writePart: (part) => add({ type: 'part', part }),
  })
  for (const chunk of chunks) write(chunk)
  return parts
}

it('makes the message that the AI SDK makes of the same chunks', async () => {
  await fc.assert(
    fc.asyncProperty(chunkStreams, async (chunks) => {
      expect(comparable(byUs(chunks))).toEqual(comparable(await bySdk(chunks)))
    }),
    { numRuns: 300 },
  )
})

it('reads from a draft, however often it looks, what was journalled', () => {
  fc.assert(
    fc.property(chunkStreams, fc.nat({ max: 40 }), (chunks, at) => {
      const read = readPieces()
      const early = read(journalled(chunks.slice(0, at)))
      const late = read(journalled(chunks))
      expect(comparable(byUs([...early, ...late]))).toEqual(comparable(byUs(chunks)))
    }),
    { numRuns: 300 },
  )
})

it('reads from the message of a reply that was cut off what was journalled', () => {
  fc.assert(
    fc.property(chunkStreams, (chunks) => {
      const message = replyMessage('assistant', journalled(chunks), 'interrupted')
      expect(comparable(byUs(readPieces()(piecesOf(message))))).toEqual(comparable(byUs(chunks)))
    }),
    { numRuns: 300 },
  )
})

/** Steps that are begun anew with a reasoning that has less than the one before, or another id. */
const begunAnew: [readonly UIMessageChunk[], number][] = [
  [
    [
      { type: 'start-step' },
      { type: 'reasoning-start', id: '0', providerMetadata: { p: { signature: 'x' } } },
      { type: 'reset-step' },
      { type: 'reasoning-start', id: '0' },
    ],
    2,
  ],
  [
    [
      { type: 'start-step' },
      { type: 'reasoning-start', id: 'a' },
      { type: 'reset-step' },
      { type: 'reasoning-start', id: '0' },
    ],
    2,
  ],
]

it('replays a message, and what a message has more than its draft', async () => {
  await fc.assert(
    fc.asyncProperty(chunkStreams, fc.nat({ max: 40 }), async (chunks, at) => {
      const whole = byUs(chunks)
      const fold = foldChunks({ id: 'm', role: 'assistant', parts: [] })
      const early = restOfMessage(byUs(chunks.slice(0, at)), fold)
      for (const chunk of early) fold.add(chunk)
      const replayed = [...early, ...restOfMessage(whole, fold)] as UIMessageChunk[]
      expect(comparable(await bySdk(replayed)).parts).toEqual(comparable(whole).parts)
    }),
    { numRuns: 300, examples: begunAnew },
  )
})
