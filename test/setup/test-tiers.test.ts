import { existsSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { project } from '../support/documents.ts'
import { moreTests } from '../support/more-tests.ts'
import { takesLong } from '../support/takes-long.ts'

const files = (readdirSync(`${project}/test`, { recursive: true }) as string[])
  .map((file) => `test/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))

/** As few of a glob's signs as the lists have. */
function pattern(glob: string): RegExp {
  const source = glob
    .replaceAll('.', '\\.')
    .replaceAll('*', '[^/]*')
    .replace(/\{([^}]*)\}/, (_, names: string) => `(${names.replaceAll(',', '|')})`)
  return new RegExp(`^${source}$`)
}

const more = Object.values(moreTests).flat()

it.each(more)('names only tests that there are: %s', (glob) => {
  const named = /\{([^}]*)\}/.exec(glob)?.[1]?.split(',') ?? ['']
  for (const name of named) {
    const one = pattern(glob.replace(/\{[^}]*\}/, name))
    expect(files.filter((file) => one.test(file))).not.toEqual([])
  }
})

it('leaves each test to one command only', () => {
  const left = [...takesLong, ...files.filter((file) => more.some((glob) => pattern(glob).test(file)))]
  expect(left.filter((file) => !existsSync(`${project}/${file}`))).toEqual([])
  expect(new Set(left).size).toBe(left.length)
})
