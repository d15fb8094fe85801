import { median } from '../report/statistics.ts'
import type { Call, Measured } from './measured.ts'

/** What the rig finds wrong; it fails where there is anything. */
export type Finding = string

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
  /** What the largest cost, divided by the smallest; of linear rows for each of what they go over. */
  readonly ratio?: number
  readonly findings: readonly Finding[]
}

/** @param axis - what grows from point to point */
export function judgeRow(points: readonly Measured[], axis: 'messages' | 'sessions'): Judged {
  const [{ row, [axis]: growth }] = points as [Measured]
  const findings = points.flatMap((point) => pointFindings(point, axis))
  const measured = points.filter(({ calls }) => calls.length > 0)
  const ratio = measured.length < 2 ? undefined : growth === 'flat' ? flatRatio(measured) : linearRatio(measured, axis)
  if (ratio !== undefined && growth === 'flat' && isGrowing(measured)) findings.push(`grows: ${ratio.toFixed(1)}× from the smallest to the largest (at most ${limits.flat}×)`)
  if (ratio !== undefined && growth === 'linear' && ratio > limits.linear) findings.push(`grows faster than what it goes over: ${ratio.toFixed(1)}× for each (at most ${limits.linear}×)`)
  return { row, growth, points, ...(ratio === undefined ? {} : { ratio }), findings }
}

function pointFindings({ calls, error, told, stopped, isWhole, ground }: Measured, axis: 'messages' | 'sessions'): readonly Finding[] {
  const at = `at ${ground[axis].toLocaleString('en-US')}`
  const task = Math.max(0, ...calls.map(({ longestTask }) => longestTask))
  return [
    ...(error === undefined ? [] : [`fails ${at}: ${error}`]),
    ...(task > limits.longestTask && isWhole === undefined ? [`keeps the page busy for ${Math.round(task)} ms ${at}`] : []),
    ...(told === 0 && error === undefined ? [`tells no progress ${at}`] : []),
    ...(stopped === undefined || stopped.outcome === 'Aborted' || stopped.outcome === 'was done before' ? [] : [`does not end by its signal ${at}: ${stopped.outcome}`]),
    ...(stopped !== undefined && stopped.ms > 500 ? [`ends only ${Math.round(stopped.ms)} ms after its signal ${at}`] : []),
  ]
}

export const timeOf = (calls: readonly Call[]): number => median(calls.map(({ ms }) => ms))

/** Calls that found something of the session kept, and those that did not, apart. */
const kinds = (points: readonly Measured[]): readonly (readonly (readonly number[])[])[] =>
  [false, true].map((isCold) => points.map(({ calls }) => calls.filter((call) => call.isCold === isCold).map(({ ms }) => ms))).filter((all) => all.every((times) => times.length > 0))

function flatRatio(points: readonly Measured[]): number {
  const ratios = kinds(points).map((times) => median([...times.at(-1)!]) / median([...times[0]!]))
  return ratios.length === 0 ? 1 : Math.max(...ratios)
}

/**
 * Whether the largest costs more than the smallest beyond what one call varies by itself: its quicker calls are held against the slower ones
 * of the smallest.
 */
function isGrowing(points: readonly Measured[]): boolean {
  return kinds(points).some((times) => quartile(times.at(-1)!, 0.25) > limits.flat * quartile(times[0]!, 0.75) + floorMs)
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
