import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')

/** The lines that a run of one file in `test/fixtures/closing-line` prints. */
async function linesOf(file: string): Promise<readonly string[]> {
  const cwd = join(import.meta.dirname, 'fixtures/closing-line')
  const run = spawn(process.execPath, [vitest, 'run', '--config', 'vitest.config.ts', file], {
    cwd,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return (await text(run.stdout)).trimEnd().split('\n')
}

it.concurrent.each([
  ['tests that pass, fail and are skipped', 'mixed', '1 passed, 1 failed, 2 skipped'],
  ['a file that cannot be imported', 'missing-import', '0 passed, 1 failed, 0 skipped'],
  ['a hook that throws', 'broken-hook', '0 passed, 1 failed, 1 skipped'],
  ['a rejection nobody handles', 'unhandled', '1 passed, 1 failed, 0 skipped'],
  ['a run without a test', 'no-such-case', '0 passed, 1 failed, 0 skipped'],
])('the closing line counts %s', async (_, file, line) => expect((await linesOf(file)).at(-1)).toBe(line), 30_000)

it.each([
  ['test', 'mixed', 'failed: mixed.case.ts > fails'],
  ['file', 'missing-import', 'failed: missing-import.case.ts, outside of its tests'],
  ['rejection nobody handles', 'unhandled', 'failed: nobody handled it: Error: '],
])(
  'the name of a failed %s precedes the closing line',
  async (_, file, start) => {
    expect((await linesOf(file)).at(-2)?.slice(0, start.length)).toBe(start)
  },
  30_000,
)
