import { parseArgs } from 'node:util'
import { type CaseName, caseNames, type Effort } from './sample.ts'
import type { ScaleOptions } from './scale/measured.ts'
import { scaleOptions } from './scale/run-scale.ts'

export interface BenchOptions extends Effort {
  readonly cases: readonly CaseName[]
  /** Profile the cases instead of comparing them. */
  readonly isProfile: boolean
  /** The scale rig, which runs alone. */
  readonly scale?: ScaleOptions
}

/**
 * `--case append,burst` (default: all), `--reps 9`, `--quick` (small sizes, three repetitions), `--profile` (where the
 * time goes in keepsession's page and worker).
 */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      case: { type: 'string', multiple: true, default: [] },
      reps: { type: 'string' },
      quick: { type: 'boolean', default: false },
      sizes: { type: 'string' },
      counts: { type: 'string' },
      only: { type: 'string' },
      profile: { type: 'boolean', default: false },
      resume: { type: 'boolean', default: false },
    },
  })
  const asked = values.case.flatMap((list) => list.split(','))
  if (asked.includes('scale')) {
    if (asked.length > 1) throw new Error('The case "scale" runs alone: it fills the machine for minutes.')
    return { cases: [], reps: 0, isQuick: false, isProfile: false, scale: scaleOptions(values) }
  }
  const isCase = (name: string): name is CaseName => (caseNames as readonly string[]).includes(name)
  for (const name of asked)
    if (!isCase(name)) throw new Error(`There is no case "${name}". There are: ${[...caseNames, 'scale'].join(', ')}.`)
  const reps = Number(values.reps ?? (values.quick ? 3 : 9))
  if (!Number.isInteger(reps) || reps < 1)
    throw new Error(`--reps must be a whole number of at least 1, got "${values.reps}".`)
  return {
    cases: asked.length === 0 ? caseNames : asked.filter(isCase),
    reps,
    isQuick: values.quick,
    isProfile: values.profile,
  }
}
