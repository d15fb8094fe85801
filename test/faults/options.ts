import { parseArgs } from 'node:util'
import type { Engine, Rig } from './rig.ts'

export interface FaultOptions {
  readonly only: readonly string[]
  readonly skip: readonly string[]
  readonly engines: readonly Engine[]
  readonly scale: number
}

const ENGINES: readonly Engine[] = ['chromium', 'firefox', 'webkit', 'node']

/**
 * `--only=<rig>` and `--skip=<rig>` (both more than once), `--engine=<engine>` likewise, `--scale=0.1`, `--quick` (a
 * twentieth).
 */
export function readOptions(args: readonly string[], rigs: readonly Rig[]): FaultOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      skip: { type: 'string', multiple: true, default: [] },
      engine: { type: 'string', multiple: true, default: [] },
      scale: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  })
  const names = rigs.map(({ name }) => name)
  for (const name of [...values.only, ...values.skip])
    if (!names.includes(name)) throw new Error(`There is no rig "${name}". There are: ${names.join(', ')}.`)
  const isEngine = (name: string): name is Engine => (ENGINES as readonly string[]).includes(name)
  for (const name of values.engine)
    if (!isEngine(name)) throw new Error(`There is no engine "${name}". There are: ${ENGINES.join(', ')}.`)
  const scale = Number(values.scale ?? (values.quick ? 0.05 : 1))
  if (!(scale > 0 && scale <= 1)) throw new Error(`--scale must be above 0 and at most 1, got "${values.scale}".`)
  return {
    only: values.only,
    skip: values.skip,
    engines: values.engine.length === 0 ? ENGINES : values.engine.filter(isEngine),
    scale,
  }
}
