import { drawId } from '../../client/session/draw-id.ts'
import { isSessionError } from '../../contract/errors.ts'
import { decodeValues, encodeValues } from '../encode-values.ts'
import type { FileUrls } from '../file-urls.ts'
import { isMendable } from '../is-mendable.ts'
import type { WriteQueue } from '../write-queue.ts'
import { type ChunkFold, foldChunks } from './fold-chunks.ts'
import type { ReplyPlace } from './place-reply.ts'
import { createReplyStream } from './reply-stream.ts'
import { toStored } from './stored-message.ts'
import type { ChatMessage, Fields, GrowingMessage } from './ui-message.ts'
import { writeChunks } from './write-chunks.ts'

/** Stores one reply while its chunks go by. */
export interface ReplyRecorder {
  /**
   * Begins a reply that hides nothing before there is any of it: other tabs, and whoever makes it again, know that it is on
   * its way.
   */
  announce(): Promise<void>
  /** Takes a chunk; gives what the chat gets for it. */
  add(chunk: Fields): Promise<readonly Fields[]>
  /** Stores the reply, once: later calls wait for the first. @param isCut - whether more should have come */
  end(isCut: boolean): Promise<void>
}

export function recordReply(place: ReplyPlace, files: FileUrls, writes: WriteQueue): ReplyRecorder {
  let fold: ChunkFold | undefined
  const stream = createReplyStream(place)
  /** The id of the reply unless the model's server has another one for it. */
  const drawn = drawId()
  let journal: ((chunk: Fields) => void) | undefined
  /** What came before the reply was begun. */
  const early: Fields[] = []
  let isBegun = false
  let isBroken = false
  let isFinished = false
  let ending: Promise<void> | undefined

  async function begin(id: string): Promise<void> {
    isBegun = true
    await writes.run(async () => {
      // Nobody would end a stream that a retry opens later than that.
      if (ending !== undefined) return
      const opened = await stream.openAs(id)
      journal ??= writeChunks(opened)
    })
  }

  /** Journals a chunk. A reply that goes beside another one begins when it has something, so that it hides nothing. */
  async function keep(chunk: Fields, id: string): Promise<void> {
    early.push(chunk)
    if (!isBegun && place.isAnother && !isContent(chunk)) return
    if (!isBegun) await begin(id)
    try {
      // What comes after the end, for example after `close`, is not stored any more.
      for (const one of early.splice(0)) if (ending === undefined) journal?.(one)
    } catch (error) {
      writes.report(error)
    }
  }

  async function storable(chunk: Fields): Promise<Fields> {
    if (chunk.type !== 'file' && chunk.type !== 'reasoning-file') return chunk
    let url = chunk['url'] as string
    await writes.run(async () => {
      url = await files.store(url)
    })
    return { ...chunk, url }
  }

  async function seal(message: ChatMessage, isInterrupted: boolean): Promise<void> {
    const open = await stream.openAs(message.id)
    try {
      const stored = await toStored(message, files, isInterrupted)
      try {
        await open.end(stored)
      } catch (error) {
        if (!elsewhere.some((name) => isSessionError(error, name))) throw error
        await place.put(message.id, stored)
      }
    } catch (refusal) {
      // The reply can't be stored as it is. What was journalled of it is kept.
      if (!isMendable(refusal)) await open.abort({ stopped: false }).catch(() => undefined)
      throw refusal
    }
  }

  async function finish(isCut: boolean): Promise<void> {
    const drop = () => writes.run(stream.drop)
    if (fold === undefined) return drop()
    const { message } = fold
    const isInterrupted = isCut || isBroken || (!isFinished && fold.isOpen())
    const isEmpty = message.parts.every(({ type }) => type === 'step-start')
    // Once another reply has begun, it hides the earlier one: an empty branch would hide it without saying why.
    const canDrop = place.base === undefined && (!place.isAnother || !isBegun)
    if (isInterrupted && isEmpty && canDrop) await drop()
    else await writes.run(() => seal(message, isInterrupted))
  }

  return {
    announce: () =>
      writes.run(async () => {
        if (ending === undefined && (await place.isFirst())) await stream.openAs(drawn)
      }),
    add: async (chunk) => {
      const chunks: Fields[] = [chunk]
      if (fold === undefined && chunk.type !== 'start') chunks.unshift({ type: 'start' })
      const growing = fold ?? foldFrom(chunk, place.base, drawn)
      const { message } = growing
      isBroken ||= chunk.type === 'error' || chunk.type === 'abort'
      isFinished ||= chunk.type === 'finish'
      const kept = await storable(chunk)
      await keep(kept, message.id)
      fold = growing
      fold.add(kept)
      return chunks.map((one) => (one.type === 'start' ? { ...one, messageId: message.id } : one))
    },
    end: (isCut) => {
      ending ??= finish(isCut)
      return ending
    },
  }
}

/** Chat and store call the reply by the same id from its first chunk on. */
function foldFrom(chunk: Fields, base: ChatMessage | undefined, drawn: string): ChunkFold {
  const id = base?.id ?? ((chunk.type === 'start' && (chunk['messageId'] as string | undefined)) || drawn)
  return foldChunks((copyOf(base) as GrowingMessage | undefined) ?? { id, role: 'assistant', parts: [] })
}

/** A copy of a message. Vue and Svelte have theirs in Proxies, which `structuredClone` refuses. */
const copyOf = (message: ChatMessage | undefined): unknown => decodeValues(encodeValues(message))

/** Whether a chunk gives a message something to show. */
const isContent = ({ type, transient }: Fields): boolean => !transient && !contentless.has(type)

const contentless: ReadonlySet<string> = new Set([
  'start',
  'start-step',
  'reset-step',
  'finish-step',
  'finish',
  'message-metadata',
  'error',
  'abort',
])

/** Errors of a reply that was begun and that another tab ended, or changed. */
const elsewhere = ['InvalidInput', 'TooLarge', 'ParentMoved', 'AccessDenied'] as const

/** Passes a stream on while it is stored. It closes when the reply is stored. */
export function recordStream(
  source: ReadableStream<Fields>,
  reply: Pick<ReplyRecorder, 'add' | 'end'>,
): ReadableStream<Fields> {
  const reader = source.getReader()
  return new ReadableStream<Fields>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read()
          if (!done) for (const chunk of await reply.add(value)) controller.enqueue(chunk)
          else {
            await reply.end(false)
            controller.close()
          }
        } catch (error) {
          // A source that has failed already rejects with the same error.
          await Promise.all([reply.end(true), reader.cancel(error).catch(() => undefined)])
          throw error
        }
      },
      cancel: async (reason) => {
        await Promise.all([reply.end(true), reader.cancel(reason)])
      },
    },
    { highWaterMark: 0 },
  )
}
