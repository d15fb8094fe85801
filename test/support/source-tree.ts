import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Tree } from './architecture.ts'

/** The sources that ship: everything below `src`, `worker` and `server`. */
export function sourceTree(): Tree {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const paths = readdirSync(root)
    .filter((folder) => ['src', 'worker', 'server'].includes(folder))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
    )
    .filter((path) => /\.m?[jt]sx?$/.test(path) && !path.includes('node_modules'))
  return new Map(paths.map((path) => [path.split(sep).join('/'), readFileSync(join(root, path), 'utf8')]))
}
