import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../../server/src/limits/default-limits.js'
import { spawnSyncServer } from '../support/spawn-sync-server.ts'

const main = fileURLToPath(new URL('../../server/main.js', import.meta.url))
const readme = readFileSync(new URL('../../server/README.md', import.meta.url), 'utf8')
const flags = ['port', 'address', 'data', 'secret', 'postgres', 'redis', 'config']

let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'command-line-'))))
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Ended {
  readonly code: number
  readonly output: string
  readonly errors: string
}

/** What the command came to. It has to end by itself. */
function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [main, ...args],
      { cwd: folder, env: { ...process.env, ...env } },
      (error, output, errors) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, output, errors })
      },
    )
  })
}

/** What `--help` says of each flag. */
async function helped(): Promise<Record<string, { standard: string; variable: string }>> {
  const { output } = await run(['--help'])
  const rows = output.matchAll(/^ {2}--(\w+) <\w+> .*\n +Default: (.*)\. Environment: (\w+)$/gm)
  return Object.fromEntries(
    [...rows].map(([, name, standard, variable]) => [name!, { standard: standard!, variable: variable! }]),
  )
}

/** The cells of the tables' rows whose first cell is like this, without their backquotes. */
const rowsOf = (first: RegExp): string[][] =>
  readme
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    )
    .filter(([cell]) => first.test(cell!))

describe('--help', () => {
  it('names every flag with its default and its variable, and ends with 0', async () => {
    expect(await run(['--help'])).toMatchObject({ code: 0, errors: '' })
    expect(Object.keys(await helped())).toEqual(flags)
    expect((await helped()).port).toEqual({ standard: '4466', variable: 'KEEPSESSION_SYNC_PORT' })
    expect(await run(['-h'])).toEqual(await run(['--help']))
  })

  it('says what each exit code means', async () => {
    expect((await run(['--help'])).output.match(/^ {2}\d {2}\w.*$/gm)?.map((line) => line.trim()[0])).toEqual([
      '0',
      '1',
      '2',
    ])
  })

  it('is what the README says', async () => {
    const rows = rowsOf(/^--\w/).map(([flag, variable, standard]) => [flag!.slice(2), { standard, variable }])
    expect(Object.fromEntries(rows)).toEqual(await helped())
  })
})

it('prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../server/package.json', import.meta.url), 'utf8'))
  expect(await run(['--version'])).toEqual({ code: 0, output: `${version}\n`, errors: '' })
})

describe('a command that makes no sense', () => {
  it.each([
    ['an option that is not known', ['--prot', '1'], '--prot'],
    ['an option without its value', ['--port'], '--port'],
    ['something that is no option', ['start'], 'start'],
  ])('is refused with 2 and what is known: %s', async (_, args, named) => {
    const { code, output, errors } = await run(args)
    expect({ code, output }).toEqual({ code: 2, output: '' })
    expect(errors).toContain(named)
    for (const flag of [...flags, 'help', 'version']) expect(errors).toContain(`--${flag}`)
  })

  it.each([
    ['a port that is none', ['--port', 'x'], '`port` is "x"'],
    ['a file that is not there', ['--config', 'nowhere.json'], 'nowhere.json'],
  ])('is refused with 2 and what is wrong: %s', async (_, args, named) => {
    const { code, errors } = await run(args)
    expect(code).toBe(2)
    expect(errors).toContain(named)
  })

  it.each([
    ['is not JSON', '{', 'JSON'],
    ['has no object in it', '[]', 'object'],
    ['misspells an option', '{ "token": [] }', '`tokens`'],
  ])('is refused with 2 when its file %s', async (_, content, named) => {
    const file = join(folder, 'config.json')
    await writeFile(file, content)
    const { code, errors } = await run([], { KEEPSESSION_SYNC_CONFIG: file })
    expect(code).toBe(2)
    expect(errors).toContain(named)
  })
})

it('ends with 1 when the port is taken', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  try {
    const { code, errors } = await run([
      '--port',
      String((taken.address() as AddressInfo).port),
      '--data',
      join(folder, 'data'),
    ])
    expect(code).toBe(1)
    expect(errors).toContain('EADDRINUSE')
  } finally {
    await new Promise((resolve) => taken.close(resolve))
  }
})

it('ends with 0 when it is told to stop', async () => {
  const server = await spawnSyncServer({ data: join(folder, 'stopped') })
  expect(await server.stop()).toBe(0)
})

it('has the limits that the README says', () => {
  const amounts = Object.fromEntries(
    rowsOf(/^(message|document|byte|blob|authenticate)\w*(, \w+)?$/).flatMap(([names, amounts]) => {
      // `documents` has "200 a connection".
      const values = amounts!.split(/, (?=\d)/)
      return names!.split(', ').map((name, i) => [name, bytesOf(values[i]!)])
    }),
  )
  expect(amounts).toEqual(DEFAULT_LIMITS)
})

function bytesOf(text: string): number {
  const [, amount, unit] = /^([\d,]+) ?(MiB)?/.exec(text)!
  return Number(amount!.replaceAll(',', '')) * (unit === undefined ? 1 : 2 ** 20)
}
