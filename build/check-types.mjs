// Checks the types of everything, in the environment that each part runs in.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

// By its path: `tsc` in node_modules/.bin may be that of the earlier TypeScript, whose API the build uses.
const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))

const projects = [
  ['tsconfig.json'],
  ['tsconfig.worker.json'],
  ['tsconfig.server.json'],
  ['tsconfig.frameworks.json'],
  ['tsconfig.build.json', '--noEmit', '--emitDeclarationOnly', 'false'],
]

for (const project of projects) {
  const { status } = spawnSync(process.execPath, [compiler, '-p', ...project], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
