import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Builds `dist` once before the tests that use the package as published, so that they never see an old one. */
export function setup(): void {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}
