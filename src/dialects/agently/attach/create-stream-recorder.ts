import type { MessageStream } from '../../../client/message-stream-types.ts'
import type { Message } from '../../../contract/message.ts'
import type { AttachOptions, RecordPaths } from './attach-types.ts'
import { createPieceReader } from './create-piece-reader.ts'
import type { StreamRecorder } from './record-stream.ts'
import { replyMessages } from './reply-messages.ts'
import { toolCallsIn } from './tool-calls-in.ts'

export interface StreamRecorderParts extends Pick<AttachOptions, 'textOf' | 'messageOf'> {
  /** Which values of the text are stored. */
  readonly output: RecordPaths
  /** The stream to which the reply is written while it grows. Absent: {@link recordByHandler} stores it. */
  readonly stream: MessageStream | undefined
  /** Stores the reply at its end, if there is no stream. */
  readonly recordByHandler: (reply: string, pieces: readonly unknown[], isInterrupted: boolean) => Promise<void>
  /** Called with the message that was stored in the stream. */
  readonly onKept: (message: Message) => Promise<void>
  readonly onError: (error: unknown) => void
  /** Called at the end, whether the reply was stored or not. */
  readonly onEnd: () => void
}

/**
 * Makes a recorder that stores one streamed reply. `end` never rejects, because the reader has the reply in any case.
 */
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
    else await stream.abort({ stopped: false })
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
        // If no message could be made, at least the text so far is stored. If it can't be stored, it stays in the
        // draft.
        await stream?.abort({ stopped: false }).catch(() => undefined)
      }
      onEnd()
    },
  }
}
