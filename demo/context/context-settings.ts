import { readLocal, writeLocal } from '../ui/local.ts'

/**
 * How conversations are made smaller: by a summary (ai-panel), or by leaving out the oldest (AgentlyMemoSession), with
 * a memo or without.
 */
export type ShrinkMode = 'summary' | 'lite' | 'memo'

export const shrinkModes: readonly ShrinkMode[] = ['summary', 'lite', 'memo']

/** What a model is to get, as the user chose it for this browser. */
export interface ContextSettings {
  /** Tokens of the model's window. */
  readonly window: number
  readonly mode: ShrinkMode
  /** Newest turns that a summary leaves as they are. */
  readonly keepTurns: number
  /** Characters after which lite and memo mode make a conversation smaller. */
  readonly chars: number
  /** Messages that lite and memo mode keep; 0 sets no such limit. */
  readonly messages: number
}

export const windows = [1_000, 4_000, 8_000, 32_000, 128_000] as const

const first: ContextSettings = { window: 8_000, mode: 'summary', keepTurns: 4, chars: 12_000, messages: 0 }

export function readContextSettings(): ContextSettings {
  const mode = readLocal('context-mode')
  return {
    window: numberAt('context-window', first.window),
    mode: shrinkModes.find((one) => one === mode) ?? first.mode,
    keepTurns: numberAt('context-keep-turns', first.keepTurns),
    chars: numberAt('context-chars', first.chars),
    messages: numberAt('context-messages', first.messages),
  }
}

export function writeContextSettings({ window, mode, keepTurns, chars, messages }: ContextSettings): void {
  writeLocal('context-window', String(window))
  writeLocal('context-mode', mode)
  writeLocal('context-keep-turns', String(keepTurns))
  writeLocal('context-chars', String(chars))
  writeLocal('context-messages', String(messages))
}

/**
 * The tokens from which on a conversation is compacted: three quarters of the window, so that there is room for a
 * reply.
 */
export const thresholdOf = ({ window }: ContextSettings): number => Math.floor(window * 0.75)

function numberAt(name: string, otherwise: number): number {
  const value = Number(readLocal(name) ?? Number.NaN)
  return Number.isSafeInteger(value) && value >= 0 ? value : otherwise
}

/** The same as AgentlyMemoSession's settings below `session`. */
export const memoSettingsOf = ({ mode, chars, messages }: ContextSettings) => ({
  mode: mode === 'memo' ? 'memo' : 'lite',
  limit: { chars, messages: messages > 0 ? messages : null },
})
