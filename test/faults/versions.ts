import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { useDisplay } from './browsers/display.ts'
import { pathOf } from './needs.ts'
import type { Engine } from './rig.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What a result was measured of: `keepsession 0.1.0 (2cbb866), Node 20.20.2, Chromium 156.0`. */
export async function versionsOf(engine: Engine): Promise<string> {
  const { name, version } = JSON.parse(await readFile(`${ROOT}/package.json`, 'utf8')) as {
    readonly name: string
    readonly version: string
  }
  const commit = outputOf('git', ['rev-parse', '--short', 'HEAD'])
  const isChanged = outputOf('git', ['status', '--porcelain', '--', 'src', 'worker', 'package.json']) !== ''
  // MiniBrowser says nothing without a display.
  const display = engine === 'webkit' ? { DISPLAY: await useDisplay() } : {}
  const browser =
    engine === 'node' ? [] : [outputOf(pathOf(engine), ['--version'], display).replace(/ (built on|running on).*/s, '')]
  return [
    `${name} ${version} (${commit === '' ? 'no repository' : commit}${isChanged ? ', changed' : ''})`,
    `Node ${process.versions.node}`,
    ...browser,
  ].join(', ')
}

function outputOf(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  return (
    spawnSync(command, args, { cwd: ROOT, encoding: 'utf8', timeout: 20_000, env: { ...process.env, ...env } })
      .stdout ?? ''
  ).trim()
}
