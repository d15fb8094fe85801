import { appendFileSync } from 'node:fs'

/**
 * How much of the full figures is asked for: all of them is 1. Absent where a test is to fit into every run of the
 * tests.
 */
export const scale = process.env['FAULTS_SCALE'] === undefined ? undefined : Number(process.env['FAULTS_SCALE'])

/** Hands what was counted to whoever runs the rigs. */
export function tell(figures: Readonly<Record<string, number>>): void {
  const file = process.env['FAULTS_FIGURES']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figures)}\n`)
}
