import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { FLAGS, variableOf } from '../../server/src/flags.js'
import { openSyncDevice } from '../support/sync-device.ts'

// The sync server as it is published: as a package, and as a container. There need not be a container runtime: the steps
// of the Dockerfile are done in an empty folder.

const source = fileURLToPath(new URL('../../server', import.meta.url))
const read = (name: string): string => readFileSync(join(source, name), 'utf8')
const manifest = JSON.parse(read('package.json')) as { bin: Record<string, string>; files: string[] }
const variables = FLAGS.map(variableOf)

let folder: string
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'keepsession-server-package-')))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Running {
  readonly url: string
  /** SIGTERM to the server itself; its exit code. */
  stop(): Promise<number | null>
}

/** Resolves when the server listens. */
async function started(server: ChildProcess): Promise<Running> {
  let output = ''
  const exited = new Promise<number | null>((resolve) => server.once('exit', resolve))
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [server.stdout!, server.stderr!]) {
      stream.on('data', (chunk) => {
        output += String(chunk)
        const found = /sync server on (\S+)/.exec(output)?.[1]
        if (found !== undefined) resolve(found)
      })
    }
    void exited.then((code) => reject(new Error(`It ended with ${code}: ${output}`)))
  })
  return {
    url,
    stop: () => {
      // `npx` is a parent of the server: the signal goes to all of them, as Ctrl+C of a terminal does.
      process.kill(-server.pid!, 'SIGTERM')
      return exited
    },
  }
}

async function servesTwoDevices(url: string, token: string): Promise<void> {
  const [one, two] = [openSyncDevice(url, 'ada/s/chat', token), openSyncDevice(url, 'ada/s/chat', token)]
  try {
    one.push('from one')
    await Promise.all([one.stored(), two.stored()])
    await expect.poll(() => two.values(one.document.clientID)).toEqual(['from one'])
  } finally {
    one.close()
    two.close()
  }
}

describe('the package', () => {
  let tarball: string
  let files: readonly string[]
  beforeAll(() => {
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: source, encoding: 'utf8' }),
    ) as [{ filename: string; files: { path: string }[] }]
    tarball = join(folder, packed.filename)
    files = packed.files.map(({ path }) => path)
  })

  it('has what its README names, and no tests and no packages', () => {
    for (const [, link] of read('README.md').matchAll(/\]\((?!https?:)([^)#]+)\)/g)) expect(files).toContain(link)
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'main.js', 'index.js', 'index.d.ts']))
    expect(files.filter((file) => /node_modules|test/.test(file))).toEqual([])
  })

  it('is started by npx in an empty folder, and serves two devices', async () => {
    const empty = join(folder, 'empty')
    mkdirSync(empty)
    const [command] = Object.keys(manifest.bin)
    const server = await started(
      spawn('npx', ['--yes', '--prefer-offline', `--package=${tarball}`, command!, '--port', '0', '--secret', 's'], {
        cwd: empty,
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      }),
    )
    try {
      await servesTwoDevices(server.url, 's')
    } finally {
      await server.stop()
    }
    expect(existsSync(join(empty, 'data'))).toBe(true)
  })
})

describe('the Dockerfile of the package', () => {
  let unpacked: string
  beforeAll(() => {
    const [{ filename }] = JSON.parse(
      execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: source, encoding: 'utf8' }),
    ) as [{ filename: string }]
    execFileSync('tar', ['-xzf', join(folder, filename), '-C', folder])
    unpacked = join(folder, 'package')
  })
  const steps = read('Dockerfile')
    .split('\n')
    .flatMap((line) => {
      const [, name, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? []
      return name === undefined ? [] : [{ name, rest: rest! }]
    })
  const argumentOf = (name: string): string => steps.find((step) => step.name === name)!.rest

  it('begins with a Node that the package runs on', () => {
    const [, major] = /^node:(\d+)-alpine$/.exec(argumentOf('FROM'))!
    expect(Number(major)).toBeGreaterThanOrEqual(22)
  })

  it('copies nothing that .dockerignore leaves out', () => {
    const [first, ...kept] = read('.dockerignore').trim().split('\n')
    expect(first).toBe('*')
    const copied = steps.flatMap(({ name, rest }) => (name === 'COPY' ? rest.split(' ').slice(0, -1) : []))
    expect(new Set(copied)).toEqual(new Set(kept.map((line) => line.slice(1))))
  })

  it('makes a server that runs, and finds itself healthy', async () => {
    const app = join(folder, 'app')
    const data = join(folder, 'image-data')
    mkdirSync(app)
    for (const { name, rest } of steps) {
      if (name === 'COPY') {
        const names = rest.split(' ')
        const target = names.pop()!
        for (const one of names) {
          const place = join(app, target === './' ? one : target)
          mkdirSync(dirname(place), { recursive: true })
          cpSync(join(unpacked, one), place, { recursive: true })
        }
      } else if (name === 'RUN' && rest.startsWith('npm ')) {
        execFileSync('npm', [...rest.split(' ').slice(1), '--prefer-offline', '--loglevel=error'], { cwd: app })
      }
    }
    const given = Object.fromEntries(
      argumentOf('ENV')
        .split(' ')
        .map((pair) => pair.split('=') as [string, string]),
    )
    expect(Object.keys(given).filter((name) => name !== 'NODE_ENV' && !variables.includes(name))).toEqual([])
    const [, ...args] = JSON.parse(argumentOf('CMD')) as string[]
    const env = { ...process.env, ...given, KEEPSESSION_SYNC_DATA: data, KEEPSESSION_SYNC_PORT: '0' }
    const server = await started(
      spawn(process.execPath, args, {
        cwd: app,
        env: { ...env, KEEPSESSION_SYNC_SECRET: 's' },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      }),
    )
    try {
      await servesTwoDevices(server.url, 's')
      const [, ...check] = JSON.parse(argumentOf('HEALTHCHECK').replace('CMD ', '')) as string[]
      // Within the container it listens on its own port.
      const { host } = new URL(server.url)
      execFileSync(
        process.execPath,
        check.map((part) => part.replace('127.0.0.1:4466', host)),
      )
    } finally {
      expect(await server.stop()).toBe(0)
    }
  })
})

describe('the files for compose', () => {
  interface Service {
    readonly build?: string
    readonly image?: string
    readonly environment?: Record<string, string>
    readonly volumes?: readonly string[]
    readonly depends_on?: Record<string, unknown>
  }
  interface Compose {
    readonly services: Readonly<Record<string, Service>>
    readonly volumes: Readonly<Record<string, unknown>>
  }
  it.each([
    ['compose.yaml', 1],
    ['compose.cluster.yaml', 2],
  ])('%s has %i of our servers, with variables that they know and all that they need', (file, count) => {
    const { services, volumes } = parse(read(file), { merge: true }) as Compose
    const all = Object.values(services)
    const ours = all.filter(({ build }) => build === '.')
    expect(ours).toHaveLength(count)
    for (const { environment = {} } of ours) expect(variables).toEqual(expect.arrayContaining(Object.keys(environment)))
    for (const { build, image } of all) expect(build ?? image).toMatch(/^\.$|:\d+-alpine$/)
    for (const { depends_on = {} } of all)
      expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(depends_on)))
    for (const volume of all.flatMap((one) => one.volumes ?? []))
      expect(Object.keys(volumes)).toContain(volume.split(':')[0])
  })
})

it('has a unit of systemd that starts the command of the package, with variables that it knows', () => {
  const unit = read('keepsession-sync-server.service')
  const [, command, config] = /^ExecStart=\/usr\/bin\/env (\S+) (--\w+) /m.exec(unit)!
  expect(Object.keys(manifest.bin)).toEqual([command])
  expect(FLAGS.map(({ name }) => `--${name}`)).toContain(config)
  const [, given] = /^Environment=(.*)$/m.exec(unit)!
  for (const pair of given!.split(' ')) expect(['NODE_ENV', ...variables]).toContain(pair.split('=')[0])
})
