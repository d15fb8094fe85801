import type { Session } from '../../client/session-contract.ts'
import type { AgUiMessage, RecordableAgent } from './agent-types.ts'
import { createThreadWriter } from './thread-writer.ts'

export interface RecordOptions {
  /**
   * Told of everything that could not be stored; it is tried again at the next run. Default: `settled()` rejects with
   * it.
   */
  readonly onError?: (error: unknown) => void
}

export interface AgentRecording {
  /**
   * Resolves when everything so far is stored, and a run that is under way with it. @throws SessionError for what could
   * not be stored, without `onError`
   */
  settled(): Promise<void>
  /** Ends it. A reply that is being streamed is kept, marked as interrupted. */
  stop(): Promise<void>
}

/**
 * Records an agent of AG-UI in a session: its messages under their own ids, replies while they are streamed, and the
 * state after each run. When messages were taken back since (`setMessages`), what follows goes to a new branch, and the
 * old path stays. A run begins once its input is stored. AG-UI does not wait at its end: `settled()` does.
 *
 * @example
 * const session = await client.session('chat-1')
 * const agent = new HttpAgent({ url: '/agent', ...(await hydrate(session)) })
 * recordAgent(agent, session)
 */
export function recordAgent(
  agent: RecordableAgent,
  session: Session<object>,
  { onError }: RecordOptions = {},
): AgentRecording {
  const thread = createThreadWriter(session)
  let last: Promise<void> = Promise.resolve()
  /** Of the run that is under way. */
  let run: { readonly ended: Promise<void>; end(): void } | undefined
  let hasFailed = false

  /** Does writes one after the other. One that failed does not hold up the next. */
  function later(write: () => Promise<void> | void): void {
    last = last.then(write).catch(onError ?? ((error: unknown) => void failures.push(error)))
  }
  const failures: unknown[] = []

  const finish = (messages: readonly AgUiMessage[], state: unknown, stopped: boolean): void => {
    later(async () => {
      await thread.leave(messages, stopped)
      await thread.recordAll(messages)
      await thread.recordState(state)
    })
    run?.end()
    run = undefined
  }

  const { unsubscribe } = agent.subscribe({
    onRunInitialized: async ({ messages }) => {
      run ??= beginRun()
      hasFailed = false
      later(() => thread.recordAll(messages))
      await last
    },
    onTextMessageStartEvent: ({ event: { messageId, role = 'assistant' } }) =>
      later(() => thread.begin(messageId, role)),
    onTextMessageContentEvent: ({ event: { messageId, delta } }) => later(() => thread.grow(messageId, delta)),
    onNewMessage: ({ message, messages }) => {
      const list = [...messages]
      const isInRun = run !== undefined
      later(() => (isInRun ? thread.record(message) : thread.recordAll(list)))
    },
    onNewToolCall: ({ toolCall, messages }) => {
      const caller = messages.findLast((message) => hasCall(message, toolCall.id))
      if (caller !== undefined) later(() => thread.record(caller))
    },
    onRunErrorEvent: () => {
      hasFailed = true
    },
    onRunFailed: ({ messages, state }) => finish(messages, state, false),
    // A reply that has not ended was stopped by `abortRun`.
    onRunFinalized: ({ messages, state }) => finish(messages, state, !hasFailed),
  })
  return {
    settled: async () => {
      await run?.ended
      await last
      if (failures.length > 0) throw failures.shift()
    },
    stop: async () => {
      unsubscribe()
      later(() => thread.leave([], false))
      await last
    },
  }
}

function beginRun(): { readonly ended: Promise<void>; end(): void } {
  let end: () => void = () => undefined
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { ended, end: () => end() }
}

function hasCall(message: AgUiMessage, id: string): boolean {
  const { toolCalls } = message as { readonly toolCalls?: readonly { readonly id: string }[] }
  return toolCalls?.some((call) => call.id === id) ?? false
}
