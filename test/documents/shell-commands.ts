import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readOptions } from '../../server/src/read-options.js'
import { project } from '../support/documents.ts'

/** How a command of the documents is known to work. */
export interface Proof {
  readonly command: RegExp
  /** The test that runs it, or one like it, where that is not done here. */
  readonly testedBy?: string
  /** Rejects when it would not work. */
  readonly prove?: (command: string) => unknown
}

const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
  name: string
  scripts: Record<string, string>
  peerDependencies: Record<string, string>
}

const serverPackage = 'test/packaging/sync-server-package.test.ts'

/** Every command that a document tells people to type has one. */
export const PROOFS: readonly Proof[] = [
  { command: /^npm install [\w-]+( [\w-]+)*$/, prove: areInstallable, testedBy: 'test/packaging/consumer.test.ts' },
  // Every run of the tests begins with it; whether the lock fits is seen without the network.
  { command: /^npm ci$/, prove: () => installsFromLock(project) },
  { command: /^npm ci --prefix server$/, prove: () => installsFromLock(join(project, 'server')) },
  { command: /^npm start$/, prove: isScript, testedBy: 'test/e2e/demo.test.ts' },
  { command: /^npm (test|run [\w:-]+)$/, prove: isScript },
  { command: /^node server\/main\.js( .*)?$/, prove: takesOptions, testedBy: 'test/sync-server/command-line.test.ts' },
  { command: /^npx keepsession-sync-server( .*)?$/, prove: takesOptions, testedBy: serverPackage },
  { command: /^npx keepsession-sync-server$/, prove: startsAndStops },
  { command: /^npm install --global keepsession-sync-server$/, testedBy: serverPackage },
  { command: /^SECRET=\S+ docker compose up$/, testedBy: serverPackage },
  {
    command: /^cp node_modules\/keepsession\/dist\/\*\.worker-\*\.js dist\/$/,
    testedBy: 'test/packaging/consumer.test.ts',
  },
  // Where it is fetched from is not known yet.
  { command: /^git clone https:\/\/… keepsession$/ },
  { command: /^cd keepsession$/ },
]

/** The last that fits: what is said of one command goes before what is said of many. */
export const proofOf = (command: string): Proof | undefined => PROOFS.findLast((proof) => proof.command.test(command))

function areInstallable(command: string): void {
  const known = [manifest.name, ...Object.keys(manifest.peerDependencies)]
  for (const name of command.split(' ').slice(2))
    if (!known.includes(name)) throw new Error(`"${name}" is neither this package nor one that it works with.`)
}

function isScript(command: string): void {
  const name = command.split(' ').at(-1)!
  if (!(name in manifest.scripts)) throw new Error(`package.json has no script "${name}".`)
  for (const [file] of manifest.scripts[name]!.matchAll(/\b[\w./-]+\.(?:m?js|ts|json)\b/g))
    if (!existsSync(join(project, file))) throw new Error(`The script "${name}" names ${file}, which is not there.`)
}

/** How many packages npm would install into a clean copy of a folder, by its lock. */
export function installsFromLock(folder: string): number {
  const copy = mkdtempSync(join(tmpdir(), 'keepsession-copy-'))
  try {
    const { workspaces = [] } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      workspaces?: readonly string[]
    }
    for (const file of [
      'package.json',
      existsSync(join(folder, 'npm-shrinkwrap.json')) ? 'npm-shrinkwrap.json' : 'package-lock.json',
      '.npmrc',
      ...workspaces.map((workspace) => join(workspace, 'package.json')),
    ]) {
      mkdirSync(dirname(join(copy, file)), { recursive: true })
      cpSync(join(folder, file), join(copy, file))
    }
    // `npm run --silent` would have it say nothing.
    const printed = execFileSync('npm', ['ci', '--dry-run', '--offline', '--ignore-scripts', '--loglevel=notice'], {
      cwd: copy,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return Number(/added (\d+) packages/.exec(printed)?.[1])
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

async function takesOptions(command: string): Promise<void> {
  const args = command.split(' ').slice(2)
  // A file of the server that it will run on.
  const at = args.indexOf('--config')
  if (at >= 0) args.splice(at, 2)
  await readOptions(args, {})
}

/** As the document has it, but from here, and with a port and a folder of its own. */
async function startsAndStops(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'keepsession-server-'))
  const env = { ...process.env, KEEPSESSION_SYNC_PORT: '0', KEEPSESSION_SYNC_DATA: folder }
  const server = spawn(process.execPath, ['server/main.js'], { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  try {
    const code = await new Promise((resolve, reject) => {
      server.once('error', reject)
      server.once('exit', resolve)
      for (const stream of [server.stdout, server.stderr]) {
        stream.on('data', (chunk) => {
          output += String(chunk)
          if (/^ {2}tokens +\S+ \(opens everything/m.test(output)) server.kill('SIGTERM')
        })
      }
    })
    if (code !== 0 || !/sync server on ws:\/\/127\.0\.0\.1:\d+/.test(output))
      throw new Error(`It ended with ${String(code)}: ${output}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
