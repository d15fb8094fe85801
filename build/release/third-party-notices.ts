import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { importsOf } from '../../test/support/imports.ts'
import { packageRoot, readManifest } from './package-manifest.ts'

export const noticesFile = 'THIRD-PARTY-NOTICES'

/** A package whose code may be in a file of `dist`. */
export interface InlinedPackage {
  readonly name: string
  readonly folder: string
}

/**
 * The licences of what is built into the package: everything that the sources import, and what that needs, but for
 * frameworks, which an app brings itself. The workers have Dexie, zod and Yjs in them.
 *
 * @throws when a package has no licence text
 */
export function thirdPartyNotices(): string {
  const parts = inlinedPackages().map(({ name, folder }) => {
    const { version, license } = readManifest(folder)
    return `${name} ${version} (${license})\n\n${licenceOf(name, folder)}`
  })
  const line = `\n\n${'-'.repeat(80)}\n\n`
  return `keepsession has code of these packages in its files.${line}${parts.join(line)}\n`
}

/** What is wrong with the notices that the repository has. */
export function noticesProblems(made: string): string[] {
  const path = join(packageRoot, noticesFile)
  if (existsSync(path) && readFileSync(path, 'utf8') === made) return []
  return ['It differs. Run `node build/check-release.mjs --write`, and look at what changed.']
}

/** An app brings them: no file of the package has code of them. */
const frameworks = new Set(['react', 'solid-js', 'vitest', 'vue', 'svelte'])

export function inlinedPackages(): InlinedPackage[] {
  const found = new Map<string, InlinedPackage>()
  const add = (name: string, from: string): void => {
    if (found.has(name) || frameworks.has(name)) return
    const folder = folderOf(name, from)
    found.set(name, { name, folder })
    for (const dependency of Object.keys(readManifest(folder).dependencies ?? {})) add(dependency, folder)
  }
  for (const folder of ['src', 'worker'])
    for (const entry of readdirSync(join(packageRoot, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.ts')) continue
      for (const { from, kind } of importsOf(readFileSync(join(entry.parentPath, entry.name), 'utf8'))) {
        const name = /^(?:@[\w-]+\/)?[a-z][\w-]*/.exec(from)?.[0]
        if (kind !== 'type' && name !== undefined && existsSync(join(packageRoot, 'node_modules', name)))
          add(name, packageRoot)
      }
    }
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Where Node would find a package. */
function folderOf(name: string, from: string): string {
  for (let place = from; place !== dirname(place); place = dirname(place)) {
    const folder = join(place, 'node_modules', name)
    if (existsSync(join(folder, 'package.json'))) return folder
  }
  throw new Error(`${name} is not installed. Run \`npm ci\`.`)
}

function licenceOf(name: string, folder: string): string {
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8').trim()
  const readme = readdirSync(folder).find((one) => /^readme/i.test(one))
  const part = readme && /^#+ licen[cs]e\s*$([\s\S]*)/im.exec(readFileSync(join(folder, readme), 'utf8'))?.[1]?.trim()
  if (part) return part
  const { license } = readManifest(folder)
  if (license === undefined) throw new Error(`${name} has no licence.`)
  return `The package has no text of its licence, which its manifest calls ${license}.`
}
