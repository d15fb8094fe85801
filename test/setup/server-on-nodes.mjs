// `npm run test:server`: the tests of the sync server on the versions of Node that its package names, and on the one that
// runs this.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { binOfNode } from './bin-of-node.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'keepsession-nodes-'))
let failed = 0
try {
  for (const version of [22, 24]) {
    console.log(`The tests of the sync server on Node ${version}`)
    const bin = binOfNode(version, folder)
    for (const project of [
      ['--project', 'node'],
      ['--config', 'vitest.more.config.ts', '--project', 'more-node'],
    ]) {
      const { status } = spawnSync(
        join(bin, 'node'),
        [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...project, 'test/sync-server'],
        { cwd: root, stdio: 'inherit', env: { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH']}` } },
      )
      failed += status === 0 ? 0 : 1
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (failed > 0) process.exitCode = 1
