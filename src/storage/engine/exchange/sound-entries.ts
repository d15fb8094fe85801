import { checkEntry } from '../../../contract/check-entry.ts'
import type { Entry } from '../../../contract/entry.ts'
import type { MergeResult } from '../../../contract/store/log-exchange.ts'
import { entryId } from '../../../domain/address.ts'
import { entryLimits } from '../../../domain/entry-limits.ts'
import { normaliseJson } from '../../../domain/normalise.ts'
import { entryProblem, measureData } from '../../../domain/seal.ts'

/** An entry from elsewhere that obeys every rule. */
export interface SoundEntry {
  readonly entry: Entry
  readonly bytes: number
}

/** Separates the entries that obey every rule, in the sequence of their writers, from those that are refused. */
export function sortOut(entries: readonly Entry[]): {
  readonly sound: readonly SoundEntry[]
  readonly refused: MergeResult['refused']
} {
  const refused: MergeResult['refused'][number][] = []
  const sound: SoundEntry[] = []
  for (const entry of entries) {
    const checked = soundEntry(entry)
    if (typeof checked === 'string') refused.push({ id: idOf(entry), reason: checked })
    else sound.push(checked)
  }
  // Entries of one writer must arrive in sequence; between writers the order does not matter.
  sound.sort((a, b) => a.entry.w - b.entry.w || a.entry.s - b.entry.s)
  return { sound, refused }
}

function soundEntry(entry: unknown): SoundEntry | string {
  try {
    const { value } = normaliseJson(entry, { ...entryLimits, path: 'entry' })
    const problem = checkEntry(value)
    if (problem !== undefined) return `${['entry', ...problem.path].join('.')} ${problem.reason}`
    const sound = value as unknown as Entry
    const measured = measureData(sound.data)
    return entryProblem(sound, measured) ?? { entry: sound, bytes: measured.bytes }
  } catch (error) {
    return (error as Error).message
  }
}

export function idOf(entry: unknown): string {
  const { w, s } = (entry ?? {}) as { w?: unknown; s?: unknown }
  return typeof w === 'number' && typeof s === 'number' ? entryId(w, s) : '?'
}
