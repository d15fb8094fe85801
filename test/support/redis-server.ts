import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from './free-port.ts'

export interface RedisServer {
  readonly url: string
  kill(): Promise<void>
  /** On the same port again, empty. */
  start(): Promise<void>
}

/** Starts a real Redis that keeps nothing on disk. */
export async function startRedis(address = '127.0.0.1'): Promise<RedisServer> {
  const port = await freePort()
  let child: ChildProcess
  const start = async () => {
    const started = spawn('redis-server', [
      '--port',
      String(port),
      '--bind',
      address,
      '--save',
      '',
      '--appendonly',
      'no',
    ])
    let output = ''
    await new Promise<void>((resolve, reject) => {
      started.stdout.on('data', (chunk) => {
        output += chunk
        if (output.includes('Ready to accept connections')) resolve()
      })
      started.once('error', () =>
        reject(new Error('There is no redis-server in the path: run node test/support/ensure-redis.mjs')),
      )
      started.once('exit', () => reject(new Error(`Redis ended: ${output}`)))
    })
    child = started
  }
  await start()
  return {
    url: `redis://${address.includes(':') ? `[${address}]` : address}:${port}`,
    start,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
