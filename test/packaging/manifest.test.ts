import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { parseSync } from 'vite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { packageLimits } from '../../build/release/package-limits.ts'
import { type Consumer, createConsumer, link, manifest } from './consumer.ts'

let app: Consumer
beforeAll(async () => {
  app = await createConsumer()
  // Peers of some entries.
  for (const name of ['vitest', 'yjs', 'y-protocols', 'lib0', '@types/react', 'vue', 'solid-js']) link(name, app.root)
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

it('is as small as its limits say, with one declaration file an entry, and one for all workers', () => {
  const files = execFileSync('tar', ['-tzf', app.tarball], { encoding: 'utf8' }).trim().split('\n')
  expect(files.length).toBeLessThanOrEqual(packageLimits.files)
  expect(statSync(app.tarball).size).toBeLessThanOrEqual(packageLimits.bytes)
  const entries = Object.values(manifest(app.installed).exports).flatMap((entry) =>
    typeof entry === 'object' && entry !== null && 'types' in entry ? [String(entry.types)] : [],
  )
  const shared = ['./dist/session-types.d.ts', './dist/sync-types.d.ts']
  const declared = files.filter((file) => file.endsWith('.d.ts')).map((file) => file.replace('package', '.'))
  expect(declared.sort()).toEqual([...new Set([...entries, ...shared])].sort())
})

/** What a module of the package exports, types too. */
function exportsOf(file: string): string[] {
  const { staticExports } = parseSync(file, readFileSync(join(app.installed, file), 'utf8')).module
  return staticExports.flatMap(({ entries }) => entries.map(({ exportName }) => exportName.name ?? exportName.kind))
}

// The build may let shared chunks import from entries, which would then export what is theirs under a letter.
it('exports from no entry what its types do not declare', () => {
  for (const entry of Object.values(manifest(app.installed).exports)) {
    if (typeof entry !== 'object' || entry === null || !('types' in entry)) continue
    const { types, default: code } = entry as { types: string; default: string }
    const declared = new Set(exportsOf(types))
    expect({ code, more: exportsOf(code).filter((name) => !declared.has(name)) }).toEqual({ code, more: [] })
  }
})
