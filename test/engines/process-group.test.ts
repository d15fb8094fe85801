import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough, type Readable } from 'node:stream'
import { it } from 'vitest'
import { startProcessGroup } from '../support/engines/process-group.ts'

/** Starts a process that tells its number, never ends, and does not want to. */
const stubborn = `
  const inner = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log(process.pid)"
  require('node:child_process').spawn(process.execPath, ['-e', inner], { stdio: 'inherit' })
  setInterval(() => {}, 1000)
`

/**
 * Reads until a process has told its number: then it runs. What comes after is read, too, or the end would not be seen.
 */
async function started(output: Readable): Promise<void> {
  for await (const line of createInterface(output.pipe(new PassThrough()))) if (/^\d+$/.test(line)) return
  throw new Error('No process told its number.')
}

/**
 * An output ends with the last process that has it: asking for a number would also find those that nobody has buried
 * yet.
 */
const allGone = (output: Readable): Promise<unknown> => once(output, 'end')

it('a process group ends with all that it started, even what does not want to', async () => {
  const { child, end } = startProcessGroup(process.execPath, ['-e', stubborn], { stdio: ['ignore', 'pipe', 'inherit'] })
  const gone = allGone(child.stdout!)
  await started(child.stdout!)
  await end()
  await gone
})

it.concurrent.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'a process group does not outlive a run of vitest that %s ends',
  async (signal) => {
    const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
    const cwd = join(import.meta.dirname, '../fixtures/interrupted-run')
    const run = spawn(process.execPath, [vitest, 'run', '--config', 'vitest.config.ts'], {
      cwd,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const gone = allGone(run.stdout)
    await started(run.stdout)
    run.kill(signal)
    await gone
  },
)

it('a command that does not exist is a process group that is gone', async () => {
  const { gone, end } = startProcessGroup('/no/such/command', [])
  await gone
  await end()
})
