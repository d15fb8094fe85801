import type { Session } from '../../client/session-contract.ts'
import type { AgUiMessage, RecordableAgent } from './ag-ui-types.ts'
import { createThreadWriter } from './thread-writer.ts'

export interface RecordOptions {
  /**
   * Told of everything that could not be stored; it is tried again with the next message and at the end of the run.
   * Default `console.error`.
   */
  readonly onError?: (error: unknown) => void
}

export interface AgentRecording {
  /**
   * Resolves when everything so far is stored, and a run that is under way with it. @throws SessionError when a part of
   * it could not be stored
   */
  settled(): Promise<void>
  /** Ends it, also in a run. Replies that are being streamed are kept, marked as interrupted. */
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
  { onError = console.error }: RecordOptions = {},
): AgentRecording {
  const thread = createThreadWriter(session)
  let last: Promise<void> = Promise.resolve()
  /** Of the run that is under way. */
  let run: { readonly ended: Promise<void>; end(): void } | undefined
  let hasFailed = false
  let isStopped = false
  /** What could not be stored, until everything is. */
  let failure: { readonly error: unknown } | undefined
  /** The newest list that waits to be recorded. */
  let waiting: readonly AgUiMessage[] | undefined

  /** Does writes one after the other. One that failed does not hold up the next. */
  function later(write: () => Promise<void> | void): void {
    if (isStopped) return
    last = last.then(write).catch((error: unknown) => {
      failure = { error }
      onError(error)
    })
  }
  function recordLater(messages: readonly AgUiMessage[]): void {
    const isQueued = waiting !== undefined
    waiting = [...messages]
    if (isQueued) return
    later(async () => {
      const list = waiting ?? []
      waiting = undefined
      await thread.recordAll(list)
      failure = undefined
    })
  }
  function finish(messages: readonly AgUiMessage[], state: unknown, stopped: boolean): void {
    later(() => thread.leave(messages, stopped))
    recordLater(messages)
    later(() => thread.recordState(state))
    run?.end()
    run = undefined
  }

  const { unsubscribe } = agent.subscribe({
    onRunInitialized: async ({ messages }) => {
      if (isStopped) return
      run ??= beginRun()
      hasFailed = false
      recordLater(messages)
      await last
    },
    onTextMessageStartEvent: ({ event: { messageId, role = 'assistant' } }) =>
      later(() => thread.begin(messageId, role)),
    onTextMessageContentEvent: ({ event: { messageId, delta } }) => later(() => thread.grow(messageId, delta)),
    onNewMessage: ({ message, messages }) => {
      if (run === undefined) recordLater(messages)
      else later(() => thread.record(message, messages))
    },
    onNewToolCall: ({ toolCall, messages }) => {
      const caller = messages.findLast((message) => hasCall(message, toolCall.id))
      if (caller !== undefined) later(() => thread.record(caller, messages))
    },
    onRunErrorEvent: ({ event }) => {
      hasFailed = event.code !== 'abort'
    },
    onRunFailed: ({ messages, state, error }) => finish(messages, state, error.name === 'AbortError'),
    // A reply that has not ended was stopped by `abortRun`.
    onRunFinalized: ({ messages, state }) => finish(messages, state, !hasFailed),
  })
  return {
    settled: async () => {
      await run?.ended
      await last
      if (failure !== undefined) throw failure.error
    },
    stop: async () => {
      unsubscribe()
      later(() => thread.leave([], false))
      // An agent goes on to call those who were there when its run began.
      isStopped = true
      run?.end()
      run = undefined
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
