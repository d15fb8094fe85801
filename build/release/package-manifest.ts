import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository. */
export const packageRoot = fileURLToPath(new URL('../..', import.meta.url))

export interface PackageManifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, string | { readonly types?: string; readonly default?: string }>>
}

/** The manifest of a package folder. Default: ours. */
export const readManifest = (folder = packageRoot): PackageManifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
