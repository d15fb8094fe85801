import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, it } from 'vitest'

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')

/** What each file of `test/fixtures/leaves-behind` failed with, by name: nothing where it passed. */
const failures = new Map<string, string>()

beforeAll(async () => {
  const cwd = join(import.meta.dirname, 'fixtures/leaves-behind')
  const run = spawn(process.execPath, [vitest, 'run', '--config', 'vitest.config.ts', '--reporter=json'], {
    cwd,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const output = await text(run.stdout)
  const { testResults } = JSON.parse(output.slice(output.indexOf('{'))) as {
    testResults: { name: string; status: string; message: string }[]
  }
  for (const { name, status, message } of testResults)
    failures.set(name.replace(/^.*\/|\.case\.ts$/g, ''), status === 'passed' ? '' : message)
})

it.each([
  ['a global', 'global', 'a new global planted'],
  ['a part of a global that was replaced', 'changed-global', 'another console.warn'],
  ['a variable of the environment', 'environment', 'a new process.env.PLANTED'],
  ['a Web Lock', 'held-lock', 'the Web Lock "planted", held'],
  ['somebody who waits for a Web Lock', 'held-lock', 'the Web Lock "planted", asked for'],
  ['a timer', 'timeout', 'a setTimeout of 60000 ms: () => undefined'],
  ['an interval', 'interval', 'a setInterval of 60000 ms: () => undefined'],
  ['a fake clock', 'fake-clock', 'a fake clock'],
  ['a BroadcastChannel', 'broadcast-channel', 'an open BroadcastChannel "planted"'],
  ['a MessagePort', 'message-port', '1 open MessagePort'],
  ['a server', 'socket', '1 open TCPServerWrap'],
  ['a process', 'child-process', '1 open ProcessWrap'],
  ['a listener of the process', 'listener', '1 of the process’s listeners for "SIGUSR2"'],
  ['a database', 'database', 'the database "planted"'],
])('a file fails that leaves %s behind, and names it', (_, file, name) =>
  expect(failures.get(file)).toContain(`- ${name}`),
)

it('a file passes that ends all that it begins', () => expect(failures.get('clean')).toBe(''))
