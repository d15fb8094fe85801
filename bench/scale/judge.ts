import { median } from '../report/statistics.ts'
import type { Call, Measured } from './measured.ts'

/** What the rig finds wrong; it fails where there is anything. */
type Finding = string

/** Times that a clock and a scheduler make of nothing, in milliseconds. */
const floorMs = 1
const limits = { flat: 1.5, linear: 2, longestTask: 50 }
/** Below this a call that goes over everything costs what it costs to begin. */
const beginsBelow = 10_000

/** One row over one axis, ascending. */
export interface Judged {
  readonly row: string
  readonly growth: 'flat' | 'linear'
  readonly points: readonly Measured[]
  /**
   * What the largest cost, divided by the smallest, as the table shows both; of linear rows for each of what they go
   * over.
   */
  readonly ratio?: number
  readonly findings: readonly Finding[]
}

/** @param axis - what grows from point to point */
export function judgeRow(points: readonly Measured[], axis: 'messages' | 'sessions'): Judged {
  const [{ row, [axis]: growth }] = points as [Measured]
  const findings = points.flatMap((point) => pointFindings(point, axis))
  const measured = points.filter(({ calls }) => calls.length > 0)
  const ratio =
    measured.length < 2
      ? undefined
      : growth === 'flat'
        ? timeOf(measured.at(-1)!.calls) / timeOf(measured[0]!.calls)
        : linearRatio(measured, axis)
  if (growth === 'flat') findings.push(...growths(measured))
  if (ratio !== undefined && growth === 'linear' && ratio > limits.linear)
    findings.push(`grows faster than what it goes over: ${ratio.toFixed(1)}× for each (at most ${limits.linear}×)`)
  return { row, growth, points, ...(ratio === undefined ? {} : { ratio }), findings }
}

function pointFindings(
  { calls, error, told, stopped, isWhole, ground }: Measured,
  axis: 'messages' | 'sessions',
): readonly Finding[] {
  const at = `at ${ground[axis].toLocaleString('en-US')}`
  const task = Math.max(0, ...calls.map(({ longestTask }) => longestTask))
  return [
    ...(error === undefined ? [] : [`fails ${at}: ${error}`]),
    ...(task > limits.longestTask && isWhole === undefined
      ? [`keeps the page busy for ${Math.round(task)} ms ${at}`]
      : []),
    ...(told === 0 && error === undefined ? [`tells no progress ${at}`] : []),
    ...(stopped === undefined || stopped.outcome === 'Aborted' || stopped.outcome === 'was done before'
      ? []
      : [`does not end by its signal ${at}: ${stopped.outcome}`]),
    ...(stopped !== undefined && stopped.ms > 500
      ? [`ends only ${Math.round(stopped.ms)} ms after its signal ${at}`]
      : []),
  ]
}

export const timeOf = (calls: readonly Call[]): number => median(calls.map(({ ms }) => ms))

/** Calls that found something of the session kept, and those that did not, apart: milliseconds of each point. */
const kinds = (
  points: readonly Measured[],
): readonly { readonly kind: string; readonly times: readonly (readonly number[])[] }[] =>
  [false, true]
    .map((isCold) => ({
      kind: isCold ? 'where nothing was kept of it' : 'where it was in use',
      times: points.map(({ calls }) => calls.filter((call) => call.isCold === isCold).map(({ ms }) => ms)),
    }))
    .filter(({ times }) => times.every((one) => one.length > 0))

/**
 * What says that the largest costs more than the smallest beyond what one call varies by itself: its quicker calls are
 * held against the slower ones of the smallest. Calls of one kind are held against each other, so that it can be that
 * the ratio of all says less.
 */
function growths(points: readonly Measured[]): readonly Finding[] {
  if (points.length < 2) return []
  return kinds(points).flatMap(({ kind, times }) => {
    const [small, large] = [times[0]!, times.at(-1)!]
    if (quartile(large, 0.25) <= limits.flat * quartile(small, 0.75) + floorMs) return []
    return [
      `grows: ${(median([...large]) / median([...small])).toFixed(1)}× from the smallest to the largest ${kind} (at most ${limits.flat}×)`,
    ]
  })
}

function linearRatio(points: readonly Measured[], axis: 'messages' | 'sessions'): number {
  const large = points.at(-1)!
  const base = points.find(({ ground }) => ground[axis] >= beginsBelow && ground !== large.ground) ?? points[0]!
  const perOne = ({ calls, ground }: Measured): number => timeOf(calls) / ground[axis]
  return perOne(large) / perOne(base)
}

function quartile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.round((sorted.length - 1) * share)]!
}
