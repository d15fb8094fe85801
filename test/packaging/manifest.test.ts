import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Consumer, createConsumer, link } from './consumer.ts'

let app: Consumer
beforeAll(async () => {
  app = await createConsumer()
  // Peers of some entries.
  for (const name of ['vitest', 'yjs', 'y-protocols', 'lib0']) link(name, app.root)
})
afterAll(() => app?.remove())

/** Runs a command of the project, and gives what it printed when it fails. */
function failureOf(command: string, args: readonly string[]): string {
  const script = fileURLToPath(new URL(`../../node_modules/${command}`, import.meta.url))
  try {
    execFileSync(process.execPath, [script, ...args], { cwd: app.root, encoding: 'utf8', stdio: 'pipe' })
    return ''
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    return stdout + stderr || String(error)
  }
}

it('has a manifest that publint finds nothing in', async () => {
  const tarball = new Uint8Array(readFileSync(app.tarball)).buffer
  expect((await publint({ pack: { tarball }, strict: true })).messages).toEqual([])
})

it('has types for every way an ES module can resolve it', () => {
  expect(
    failureOf('@arethetypeswrong/cli/dist/index.js', [app.tarball, '--profile', 'esm-only', '--no-definitely-typed']),
  ).toBe('')
})
