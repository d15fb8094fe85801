import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from './site-folders.ts'

/**
 * The number that a file of the package gives a name, as in `const mostBytes = 8 * 1024 * 1024`.
 *
 * @throws when the file has no such number, so that a page never shows one that the code no longer has
 */
export function codeConstant(file: string, name: string): number {
  const code = readFileSync(join(projectFolder, file), 'utf8')
  const written = new RegExp(`\\b${name}\\s*[=:]\\s*([\\d_]+(?:\\s*[*-]\\s*[\\d_]+)*)`).exec(code)?.[1]
  if (written === undefined) throw new Error(`${file} has no number "${name}".`)
  return written
    .split('-')
    .map((product) =>
      product.split('*').reduce((value, factor) => value * Number(factor.trim().replaceAll('_', '')), 1),
    )
    .reduce((difference, value) => difference - value)
}
