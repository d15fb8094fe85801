import { expect, it, vi } from 'vitest'
import { runSteps } from '../commands/run-steps.mjs'

const say = (...lines: readonly string[]): string =>
  `${JSON.stringify(process.execPath)} -e ${JSON.stringify(lines.map((line) => `console.log('${line}')`).join(';'))}`
const exit = (code: number): string => `${JSON.stringify(process.execPath)} -e "process.exit(${code})"`

async function run(
  ...given: Parameters<typeof runSteps>
): Promise<{ readonly failed: number; readonly said: readonly string[] }> {
  const said: string[] = []
  const failed = await runSteps(given[0], { ...given[1], say: (text) => void said.push(...text.split('\n')) })
  return { failed, said }
}

it('the last line sums up the closing lines of all commands, of which none is shown itself', async () => {
  const { failed, said } = await run([
    { run: say('hello', '2 passed, 0 failed, 1 skipped') },
    { run: say('3 passed, 0 failed, 0 skipped', 'bye') },
  ])
  expect([failed, said.at(-1)]).toEqual([0, '5 passed, 0 failed, 1 skipped'])
  expect(said.filter((line) => /^\d+ passed, /.test(line))).toHaveLength(1)
  expect(said).toEqual(expect.arrayContaining(['hello', 'bye']))
})

it('a command that fails without a word counts as one failure, and the next is run all the same', async () => {
  const { failed, said } = await run([{ run: exit(2) }, { run: say('1 passed, 0 failed, 0 skipped') }])
  expect([failed, said.at(-1)]).toEqual([1, '1 passed, 1 failed, 0 skipped'])
})

it('a command that fails although nothing failed in it counts as one failure', async () => {
  const { failed } = await run([{ run: `${say('1 passed, 0 failed, 0 skipped')} && ${exit(1)}` }])
  expect(failed).toBe(1)
})

it('the summary repeats the names of the tests that failed, under their command', async () => {
  const failing = say('failed: a.test.ts > holds', 'much other output', '1 passed, 1 failed, 0 skipped')
  const { said } = await run([{ run: failing }, { run: say('1 passed, 0 failed, 0 skipped') }])
  expect(said.slice(-4)).toEqual([
    expect.stringMatching(/^FAILED in /),
    '  failed: a.test.ts > holds',
    expect.stringMatching(/^passed in /),
    '2 passed, 1 failed, 0 skipped',
  ])
})

it('a command gets the environment that is meant for it', async () => {
  const { said } = await run([
    { run: `${JSON.stringify(process.execPath)} -e "console.log(process.env.PLANTED)"`, env: { PLANTED: 'yes' } },
  ])
  expect(said).toContain('yes')
})

it('what has no time left is left out, and said so', async () => {
  const { failed, said } = await run(
    [
      { run: exit(1), minutes: 10 },
      { run: say('1 passed, 0 failed, 0 skipped'), minutes: 2 },
    ],
    { minutes: 5 },
  )
  expect([failed, said.at(-1)]).toEqual([0, '1 passed, 0 failed, 0 skipped'])
  expect(said.find((line) => line.startsWith('left out'))).toContain('needs 10 minutes')
})

it('a command is run whatever fraction of a millisecond is left besides', async () => {
  const { failed, said } = await run([{ run: say('1 passed, 0 failed, 0 skipped') }], {
    minutes: 5,
    startedAt: Date.now() - 1000.4,
  })
  expect([failed, said.at(-1)]).toEqual([0, '1 passed, 0 failed, 0 skipped'])
})

it('a command for which less than a millisecond is left is ended, and fails', async () => {
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now)
  try {
    const { failed } = await run(
      [{ run: `exec ${JSON.stringify(process.execPath)} -e "setInterval(() => {}, 1000)"` }],
      { minutes: 0.4 / 60_000 },
    )
    expect(failed).toBe(1)
  } finally {
    vi.restoreAllMocks()
  }
})
