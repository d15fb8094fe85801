import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SyncServerOptions } from '../../server/src/options.js'

export interface SpawnedServer {
  readonly url: string
  readonly httpUrl: string
  readonly pid: number
  /** What it said so far. */
  output(): string
  /** Reads no more of what it says: from then on saying something fails. */
  hangUp(): void
  /** SIGTERM, as a service manager does it; the exit code. */
  stop(): Promise<number | null>
  /** SIGKILL: nothing is finished. */
  kill(): Promise<void>
}

/**
 * Starts the sync server as a process of its own, so that it can be killed.
 *
 * @param shell - what the shell does first, such as setting limits
 */
export async function spawnSyncServer(
  options: Omit<SyncServerOptions, 'authorise' | 'say'>,
  shell = '',
): Promise<SpawnedServer> {
  const folder = await mkdtemp(join(tmpdir(), 'sync-server-'))
  const config = join(folder, 'config.json')
  await writeFile(config, JSON.stringify({ port: 0, ...options }))
  const main = fileURLToPath(new URL('../../server/main.js', import.meta.url))
  const child = spawn('sh', ['-c', `${shell} exec "$0" "$@"`, process.execPath, main, '--config', config], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit').finally(() => rm(folder, { recursive: true, force: true }))
  let output = ''
  child.stderr.on('data', (chunk) => (output += chunk))
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk
      const found = /sync server on (\S+)/.exec(output)?.[1]
      if (found !== undefined) resolve(found)
    })
    void exited.then(() => reject(new Error(`The server did not start: ${output}`)))
  })
  return {
    url,
    httpUrl: url.replace('ws:', 'http:'),
    pid: child.pid ?? 0,
    output: () => output,
    hangUp() {
      child.stdout.destroy()
      child.stderr.destroy()
    },
    async stop() {
      child.kill('SIGTERM')
      await exited
      return child.exitCode
    },
    async kill() {
      if (isRunning(child)) child.kill('SIGKILL')
      await exited
    },
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}
