import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PostgresOptions } from '../../server/src/options.js'
import { findPostgres } from './find-postgres.mjs'
import { freePort } from './free-port.ts'

export interface PostgresServer {
  readonly options: PostgresOptions
  close(): Promise<void>
}

/** Starts a real PostgreSQL with a database of its own. */
export async function startPostgres(): Promise<PostgresServer> {
  const programs = findPostgres()
  if (programs === undefined) throw new Error('There is no PostgreSQL: run node test/support/ensure-postgres.mjs')
  const folder = await mkdtemp(join(tmpdir(), 'postgres-'))
  // It refuses to run as root; the package has made a user for it.
  const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  execFileSync(join(programs, 'initdb'), ['-D', data, '-U', 'test', '--auth=trust', '-E', 'UTF8', '--no-sync'], {
    ...user,
    cwd: folder,
    stdio: 'ignore',
  })
  const port = await freePort()
  const child = spawn(join(programs, 'postgres'), ['-D', data, '-k', folder, '-h', '127.0.0.1', '-p', String(port)], {
    ...user,
    cwd: folder,
  })
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      output += chunk
      if (output.includes('ready to accept connections')) resolve()
    })
    child.once('exit', () => reject(new Error(`PostgreSQL ended: ${output}`)))
  })
  return {
    options: { kind: 'postgres', url: `postgres://test@127.0.0.1:${port}/postgres` },
    async close() {
      child.kill('SIGINT')
      await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function idOf(what: '-u' | '-g'): number {
  return Number(execFileSync('id', [what, 'postgres'], { encoding: 'utf8' }))
}
