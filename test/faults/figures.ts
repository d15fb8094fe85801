import { appendFileSync } from 'node:fs'

/** Whether the full figures are asked for (`npm run test:faults`), or what fits into every run of the tests. */
export const isFull = process.env['FAULTS'] === 'full'

/** Hands what a rig counted to whoever runs the rigs. */
export function tell(rig: string, figures: Readonly<Record<string, number>>): void {
  const file = process.env['FAULTS_FIGURES']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ rig, ...figures })}\n`)
}
