import { parseArgs } from 'node:util'
import { type CaseName, caseNames, type Effort } from './sample.ts'

export interface BenchOptions extends Effort {
  readonly cases: readonly CaseName[]
}

/** `--case append,burst` (default: all), `--reps 9`, `--quick` (small sizes, three repetitions). */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { case: { type: 'string', multiple: true, default: [] }, reps: { type: 'string' }, quick: { type: 'boolean', default: false } },
  })
  const asked = values.case.flatMap((list) => list.split(','))
  const isCase = (name: string): name is CaseName => (caseNames as readonly string[]).includes(name)
  for (const name of asked) if (!isCase(name)) throw new Error(`There is no case "${name}". There are: ${caseNames.join(', ')}.`)
  const reps = Number(values.reps ?? (values.quick ? 3 : 9))
  if (!Number.isInteger(reps) || reps < 1) throw new Error(`--reps must be a whole number of at least 1, got "${values.reps}".`)
  return { cases: asked.length === 0 ? caseNames : asked.filter(isCase), reps, isQuick: values.quick }
}
