import { callModel } from '../../client/context/call-model.ts'
import type { Summarise } from '../../client/context/context-types.ts'
import type { Message } from '../../contract/message.ts'
import { fallbackSummary } from './rules/fallback-summary.ts'

const mostTries = 3
const firstWaitMs = 100

const summaryInstruction =
  'Summarise this part of a conversation in a few concise paragraphs. Keep who wants what, what was decided and why, what tools found out, and what is still open. Carry on what is known from before.'
const mergeInstruction =
  'These two messages are the summaries of two consecutive parts of one conversation. Merge them into one coherent summary, and lose nothing of either.'

export interface SummariseOptions {
  /** Absent: there is no model. */
  readonly summarise: Summarise | undefined
  /** The summary of the part before, which becomes part of the new one. */
  readonly previousSummary: string
  /** When it fires, the model is not asked any more. */
  readonly signal: AbortSignal
  /** The maximum number of UTF-16 code units of a summary without a model. */
  readonly maxLength: number
  readonly wait: (ms: number) => Promise<void>
}

export interface PartsSummary {
  readonly summary: string
  /** Whether it contains a fallback for a summary that the model failed to make. */
  readonly modelFailed: boolean
}

/**
 * Summarises one part, or two parts and then both together. Each call is tried three times, 100 and 200 ms apart. If it
 * still fails, the fallback for a part is the beginnings of its messages, and the fallback for the merged summary is
 * both summaries one after the other.
 *
 * Source: PicoClaw, `summarizeSession`, `summarizeBatch`. There, the previous summary is lost when there are two parts
 */
export async function summariseParts(
  parts: readonly (readonly Message[])[],
  { summarise, previousSummary, signal, maxLength, wait }: SummariseOptions,
): Promise<PartsSummary> {
  if (summarise === undefined)
    return { summary: fallbackSummary(parts.flat(), previousSummary, maxLength), modelFailed: false }
  let modelFailed = false

  async function ask(instruction: string, messages: readonly Message[], previous: string): Promise<string | undefined> {
    for (let tries = 1; !signal.aborted; tries++) {
      try {
        const text = await callModel(
          (ending) => summarise!({ instruction, messages, previousSummary: previous, signal: ending }),
          { what: 'The summary', timeoutMs: Infinity, signal },
        )
        if (text.trim() !== '') return text.trim()
      } catch {
        // The caller's function can report its own errors. Here it only matters that it failed.
      }
      if (tries === mostTries || signal.aborted) break
      await wait(firstWaitMs * tries)
    }
    modelFailed = true
    return undefined
  }

  const summaries: string[] = []
  for (const [i, part] of parts.entries()) {
    const previous = i === 0 ? previousSummary : ''
    summaries.push((await ask(summaryInstruction, part, previous)) ?? fallbackSummary(part, previous, maxLength))
  }
  const merged =
    summaries.length === 1
      ? summaries[0]
      : await ask(
          mergeInstruction,
          summaries.map((content) => ({ role: 'user', content })),
          '',
        )
  return { summary: merged ?? summaries.join(' '), modelFailed }
}
