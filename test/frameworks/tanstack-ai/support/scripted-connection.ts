import type { StreamChunk } from '@tanstack/ai'

/** What a model answers: pieces of text, or chunks as they are. A reply waits at `pause` until it is released. */
export type Script = readonly (string | StreamChunk | typeof pause)[]
export const pause = Symbol('pause')

/** A connection without a network: each message is answered by the next script. */
export function createScriptedConnection(reply: (question: string, run: number) => Script) {
  let runs = 0
  let goOn: (() => void) | undefined
  /** Called when a reply waits. */
  let onPause: (() => void) | undefined

  async function* chunks(question: string, name: string): AsyncGenerator<object> {
    const run = runs++
    const base = { timestamp: 0, runId: `${name}-run-${run}`, threadId: 'thread' }
    const messageId = `${name}-reply-${run}`
    yield { type: 'RUN_STARTED', ...base }
    yield { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', ...base }
    for (const piece of reply(question, run)) {
      if (typeof piece === 'string') yield { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: piece, ...base }
      else if (piece !== pause) yield piece
      else
        await new Promise<void>((resolve) => {
          goOn = resolve
          onPause?.()
        })
    }
    yield { type: 'TEXT_MESSAGE_END', messageId, ...base }
    yield { type: 'RUN_FINISHED', finishReason: 'stop', ...base }
  }
  const answer = (question: string, name: string) => chunks(question, name) as AsyncGenerator<StreamChunk>
  return {
    /** @param name - makes the ids of this tab's replies */
    connect: (name: string) => ({
      connect: (messages: readonly unknown[]) => answer(JSON.stringify(messages.at(-1)), name),
    }),
    /** Resolves when a reply waits. */
    paused: () => new Promise<void>((resolve) => (onPause = resolve)),
    release: () => goOn?.(),
  }
}
