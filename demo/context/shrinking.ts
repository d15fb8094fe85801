import { createMemoSession, type MemoSession } from '../../src/agently.ts'
import type { ManagedSession } from '../../src/aixgo.ts'
import type { ModelContext, SessionClient } from '../../src/index.ts'
import type { CompactionProgress } from '../../src/types.ts'
import type { Model } from '../model.ts'
import { counted } from '../ui/format.ts'
import { type ContextSettings, memoSettingsOf, readContextSettings, thresholdOf } from './context-settings.ts'
import { learn } from './learn.ts'
import { summariseWith } from './summarise.ts'

/** Keeps conversations within the model's window, in the way the user chose. */
export interface Shrinking {
  /** What a model gets of a conversation. */
  context(session: ManagedSession): Promise<ModelContext>
  /** Makes it smaller where that is due. */
  check(session: ManagedSession): Promise<void>
  /** Makes it smaller in any case. @returns what became of it, in words */
  now(session: ManagedSession, signal: AbortSignal, onProgress: (words: string) => void): Promise<string>
}

export function createShrinking(client: SessionClient, model: (key: string) => Model): Shrinking {
  const settings = readContextSettings

  /** The conversation as AgentlyMemoSession keeps it, with the limits chosen here. */
  const memoSession = (session: ManagedSession, chosen: ContextSettings): MemoSession =>
    createMemoSession({
      store: client.store,
      key: session.key,
      name: client.name,
      memoUpdateHandler: ({ memo, messages }) => learn(memo, messages),
      parentSettings: { session: memoSettingsOf(chosen) },
    })

  const summary = (
    session: ManagedSession,
    options: {
      readonly force?: boolean
      readonly signal?: AbortSignal
      readonly onProgress?: (progress: CompactionProgress) => void
    },
  ) =>
    session.compact({
      summarise: summariseWith(model(session.key)),
      threshold: thresholdOf(settings()),
      keepTurns: settings().keepTurns,
      ...options,
    })

  return {
    context: (session) => session.context({ maxTokens: settings().window }),
    async check(session) {
      const chosen = settings()
      if (chosen.mode === 'summary') await summary(session, {})
      else await memoSession(session, chosen).resize()
    },
    async now(session, signal, onProgress) {
      const chosen = settings()
      if (chosen.mode === 'summary') {
        const outcome = await summary(session, {
          force: true,
          signal,
          onProgress: (progress) => onProgress(progressText(progress)),
        })
        return outcome.status === 'compacted'
          ? `${counted(outcome.messages, 'message')} summarised: ${counted(outcome.tokensBefore, 'token')} before, ${counted(outcome.tokensAfter, 'token')} now.`
          : outcomes[outcome.status]
      }
      const memo = memoSession(session, chosen)
      const before = (await memo.currentHistory()).length
      const after = (await memo.resize(chosen.mode === 'memo' ? 'deep' : 'lite')).length
      return before === after
        ? 'The conversation is already within the limits.'
        : `${counted(before - after, 'message')} left out, ${counted(after, 'message')} kept.`
    },
  }
}

const outcomes = {
  unneeded: 'Not needed yet.',
  nothing: 'There are no messages older than the turns to keep.',
  empty: 'The model returned an empty summary, so nothing was changed.',
  superseded: 'Another tab has just compacted this conversation.',
} as const

function progressText({ phase, messages }: CompactionProgress): string {
  if (phase === 'waiting') return 'Another tab is compacting it…'
  if (phase === 'summarising') return `Summarising ${counted(messages ?? 0, 'message')}…`
  return phase === 'reading' ? 'Reading…' : 'Saving…'
}
