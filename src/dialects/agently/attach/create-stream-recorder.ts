import type { MessageStream } from '../../../client/message-stream-types.ts'
import type { Message } from '../../../contract/message.ts'
import type { AttachOptions, RecordPaths } from './attach-types.ts'
import { createPieceReader } from './create-piece-reader.ts'
import type { StreamRecorder } from './record-stream.ts'
import { replyMessages } from './reply-messages.ts'
import { toolCallsIn } from './tool-calls-in.ts'

export interface StreamRecorderParts extends Pick<AttachOptions, 'textOf' | 'messageOf'> {
  /** Which values of the text are kept. */
  readonly output: RecordPaths
  /** Where the reply is kept while it grows, … */
  readonly stream: MessageStream | undefined
  /** … or who keeps it in the place of that. */
  readonly recordByHandler: (reply: string, pieces: readonly unknown[], isInterrupted: boolean) => Promise<void>
  /** Told of a message that was kept in the stream. */
  readonly onKept: (message: Message) => Promise<void>
  readonly onError: (error: unknown) => void
  /** Called at the end, whether it was kept or not. */
  readonly onEnd: () => void
}

/** Makes what keeps one streamed reply. Its end never rejects: the reader has the reply in any case. */
export function createStreamRecorder({
  output,
  stream,
  recordByHandler,
  onKept,
  onError,
  onEnd,
  textOf = createPieceReader(),
  messageOf,
}: StreamRecorderParts): StreamRecorder {
  const pieces: unknown[] = []
  let text = ''
  const makeMessage = (): Message | null | undefined => {
    if (messageOf !== undefined) return messageOf(pieces)
    const [message] = replyMessages(text, output)
    const calls = toolCallsIn(pieces)
    return calls.length === 0 ? message : { role: 'assistant', content: '', ...message, tool_calls: calls }
  }
  const keep = async (isWhole: boolean): Promise<void> => {
    if (stream === undefined) return recordByHandler(text, pieces, !isWhole)
    const message = isWhole ? makeMessage() : replyMessages(text, {})[0]
    if (message === undefined || message === null) return void (await stream.abort({ keep: false }))
    if (isWhole) await stream.end(message)
    else await stream.abort()
    await onKept(isWhole ? message : { ...message, interrupted: true })
  }
  return {
    add: (piece) => {
      pieces.push(piece)
      const more = textOf(piece)
      text += more
      if (more !== '') stream?.write(more)
    },
    end: async (isWhole) => {
      try {
        await keep(isWhole)
      } catch (error) {
        onError(error)
        // Where no message could be made, what came is kept at least; what can't be stored is in the journal.
        await stream?.abort().catch(() => undefined)
      }
      onEnd()
    },
  }
}
