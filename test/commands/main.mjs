// Runs one of the plans: `node test/commands/main.mjs quick | all | ci`.
import { plans } from './plans.mjs'
import { runSteps } from './run-steps.mjs'

const name = process.argv[2] ?? ''
const plan = /** @type {Readonly<Record<string, (typeof plans)['ci'] | undefined>>} */ (plans)[name]
if (plan === undefined) {
  console.error(`There is no plan "${name}". There are: ${Object.keys(plans).join(', ')}.`)
  process.exit(1)
}
// Counted from where the clock of CI began, where it tells.
const startedAt = Number(process.env['STARTED_AT'] ?? Date.now() / 1000) * 1000
const failed = await runSteps(plan.steps, {
  ...(plan.minutes === undefined ? {} : { minutes: plan.minutes }),
  startedAt,
})
if (failed > 0) process.exitCode = 1
