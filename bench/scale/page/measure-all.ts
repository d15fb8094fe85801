import { type Ground, touchOthers } from '../ground.ts'
import type { Call, Measured } from '../measured.ts'
import type { NamedRow } from '../row.ts'
import { measureRow, measureStop } from './measure-row.ts'

export interface MeasureOptions {
  readonly axis: Measured['axis']
  readonly reps: number
  readonly say: (text: string) => void
  /** Takes the results of a row: a run that dies keeps what it has measured. */
  readonly keep: (row: readonly Measured[]) => Promise<void>
}

/** More sessions than a worker keeps the state of. */
const keptSessions = 300
/** Beyond so many messages a call that goes over all of them is done once. */
const onceAbove = 100_000

/** Measures every row on every ground, the grounds of a row in turns: what slows the machine down slows all of them. */
export async function measureAll(
  rows: readonly NamedRow[],
  grounds: readonly Ground[],
  options: MeasureOptions,
): Promise<void> {
  for (const when of [undefined, 'late', 'last'] as const) {
    for (const row of rows) if (row.when === when) await options.keep(await measureGrounds(row, grounds, options))
  }
}

async function measureGrounds(
  row: NamedRow,
  grounds: readonly Ground[],
  { axis, reps, say }: Omit<MeasureOptions, 'keep'>,
): Promise<Measured[]> {
  const results = new Map(
    grounds.map((ground) => [ground, { calls: [] as Call[], told: 0, error: undefined as string | undefined }]),
  )
  const open = grounds.filter(({ messages }) => messages <= (row.upTo?.messages ?? Number.POSITIVE_INFINITY))
  for (let rep = 0; rep < (row.isOnce ? 1 : reps); rep++) {
    // The first finds nothing of the session kept; the order changes from repetition to repetition.
    for (const ground of rep % 2 === 0 ? open : open.toReversed()) {
      const result = results.get(ground)!
      const isLinear = row.messages === 'linear' || row.sessions === 'linear'
      if (
        result.error !== undefined ||
        (isLinear && rep > 0 && result.calls[0]!.ms > 2000) ||
        (isLinear && rep > 0 && ground.messages > onceAbove)
      )
        continue
      const isCold = rep < 2 && !isLinear
      try {
        const watch = { signal: new AbortController().signal, told: () => void result.told++ }
        result.calls.push(
          await measureRow(
            row,
            ground,
            isCold,
            watch,
            async () => isCold && touchOthers(ground, rep * keptSessions, keptSessions),
          ),
        )
      } catch (error) {
        result.error = `${(error as Error).name}: ${(error as Error).message}`
        say(`${row.name}, ${ground.messages} messages, ${ground.sessions} sessions: ${result.error}`)
      }
    }
  }
  // Whether it ends at once shows where it would go on for seconds; to prepare a million messages again takes minutes.
  const largest = open.findLast(({ messages }) => messages <= onceAbove)
  const stopped =
    row.stops && !row.isOnce && largest !== undefined && results.get(largest)!.error === undefined
      ? await measureStop(row, largest).catch((error: unknown) => ({ outcome: String(error), ms: 0 }))
      : undefined
  const measured = open.map((ground): Measured => {
    const { calls, told, error } = results.get(ground)!
    const { messages, sessions, name, isWhole, tells } = row
    return {
      row: name,
      axis,
      messages,
      sessions,
      calls,
      ground: { messages: ground.messages, sessions: ground.sessions },
      ...(error === undefined ? {} : { error }),
      ...(tells ? { told } : {}),
      ...(stopped !== undefined && ground === largest ? { stopped } : {}),
      ...(isWhole === undefined ? {} : { isWhole }),
    }
  })
  say(
    `${row.name}: ${measured.map(({ calls }) => (calls.length === 0 ? 'failed' : Math.round(medianOf(calls) * 10) / 10)).join(' / ')} ms`,
  )
  return measured
}

const medianOf = (calls: readonly Call[]): number => calls.map(({ ms }) => ms).sort((a, b) => a - b)[calls.length >> 1]!
