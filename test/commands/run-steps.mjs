// Plain JavaScript, because it runs before anything is known to work.
import { spawn } from 'node:child_process'

/**
 * One command of several that follow each other.
 *
 * @typedef {object} Step
 * @property {string} run - as in a shell
 * @property {Readonly<Record<string, string>>} [env]
 * @property {number} [minutes] - how long it may need: where less is left it is not begun
 */

/** What a step says of each test that failed, before its closing line. */
const failedTest = /^failed: /
const closingLine = /^(\d+) passed, (\d+) failed, (\d+) skipped$/

/**
 * Runs commands one after the other, whatever becomes of each, and ends the output with one closing line for all of
 * them: `N passed, N failed, N skipped`. A command without a closing line of its own counts as one failure when it
 * fails, else as nothing.
 *
 * @param {readonly Step[]} steps
 * @param {{ readonly minutes?: number, readonly startedAt?: number, readonly say?: (text: string) => void }} [limits] -
 *   minutes for all of them, from `startedAt` on
 * @returns {Promise<number>} how many failed
 */
export async function runSteps(
  steps,
  { minutes = Infinity, startedAt = Date.now(), say = (text) => void process.stdout.write(`${text}\n`) } = {},
) {
  const sum = { passed: 0, failed: 0, skipped: 0 }
  const report = []
  for (const step of steps) {
    const left = minutes - (Date.now() - startedAt) / 60_000
    if ((step.minutes ?? 0) > left) {
      report.push(`left out: ${step.run} needs ${step.minutes} minutes, and ${Math.max(0, left).toFixed(0)} are left`)
      continue
    }
    say(`\n> ${step.run}\n`)
    const beganAt = Date.now()
    const { counts, broken } = await runStep(step, timeoutOf(left), say)
    report.push(
      `${counts.failed === 0 ? 'passed' : 'FAILED'} in ${((Date.now() - beganAt) / 1000).toFixed(0)} s: ${step.run}`,
      ...broken.map((line) => `  ${line}`),
    )
    for (const kind of /** @type {const} */ (['passed', 'failed', 'skipped'])) sum[kind] += counts[kind]
  }
  for (const line of ['', ...report, `${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`]) say(line)
  return sum.failed
}

/**
 * `spawn` takes whole milliseconds only, and 0 for no limit at all.
 *
 * @param {number} minutes
 */
function timeoutOf(minutes) {
  return Math.max(1, Math.floor(Math.min(minutes, 24 * 60) * 60_000))
}

/**
 * @param {Step} step
 * @param {number} timeout - in milliseconds, whole
 * @param {(text: string) => void} say
 */
async function runStep({ run, env }, timeout, say) {
  // Its output is read for the closing line. Errors go where they always go.
  const child = spawn(run, {
    shell: true,
    stdio: ['inherit', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
    timeout,
  })
  const counts = { passed: 0, failed: 0, skipped: 0 }
  /** @type {string[]} */
  const broken = []
  let rest = ''
  child.stdout.setEncoding('utf8')
  for await (const chunk of child.stdout) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      // The line of this step stays out of the output: only the last one counts.
      if (count(line, counts)) continue
      if (failedTest.test(line)) broken.push(line)
      say(line)
    }
  }
  if (rest !== '' && !count(rest, counts)) say(rest)
  const code = await exitOf(child)
  if (code !== 0) counts.failed ||= 1
  return { counts, broken }
}

/**
 * @param {string} line
 * @param {{ passed: number, failed: number, skipped: number }} counts
 * @returns {boolean} whether it is a closing line
 */
function count(line, counts) {
  const found = closingLine.exec(line)
  if (found === null) return false
  counts.passed += Number(found[1])
  counts.failed += Number(found[2])
  counts.skipped += Number(found[3])
  return true
}

/** @param {import('node:child_process').ChildProcess} child */
function exitOf(child) {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  return new Promise((resolve) => child.once('exit', resolve))
}
