import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Builds `dist` once before the tests that use the package as published, so that they never see an old one. */
export function setup(): void {
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error(`The package does not build:\n${stdout}${stderr}`)
}
