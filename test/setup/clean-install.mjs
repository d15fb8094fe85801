// `npm run test:install`: `npm ci` in a clean copy prints nothing but its summary, on Node 20, 22 and 24. Takes the
// network, or npm's cache.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { binOfNode } from './bin-of-node.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const summary = /^\s*added \d+ packages in \S+\s*$/
/** The environment without what `npm run` adds, such as how much npm may say. */
const asTyped = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))
const folder = mkdtempSync(join(tmpdir(), 'keepsession-install-'))
let failed = 0
try {
  for (const version of [20, 22, 24]) failed += printsItsSummary(version) ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${3 - failed} passed, ${failed} failed, 0 skipped`)
if (failed > 0) process.exitCode = 1

/** @param {number} version - of Node */
function printsItsSummary(version) {
  const bin = binOfNode(version, folder)
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) copyFileSync(join(root, file), join(folder, file))
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
  const { status, stdout, stderr } = spawnSync('npm', ['ci', '--prefer-offline'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...asTyped, PATH: `${bin}${delimiter}${process.env['PATH']}` },
  })
  const isRight = status === 0 && summary.test(stdout) && stderr === ''
  console.log(
    isRight
      ? `npm ci on Node ${version}: ${stdout.trim()}`
      : `npm ci on Node ${version} ended with ${status} and printed more than its summary:\n${stdout}${stderr}`,
  )
  return isRight
}
