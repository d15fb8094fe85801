import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sessionErrorNames } from '../../src/contract/errors.ts'
import { sourceTree } from '../support/source-tree.ts'

const errors = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')

const rows = errors
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
const told = rows.flatMap(([names]) => [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => name!))

describe('the table of errors', () => {
  it('has each name of the code once, and no other', () => {
    expect([...told].sort()).toEqual([...sessionErrorNames].sort())
  })

  it('says of each when it comes and what to do', () => {
    expect(rows.filter((cells) => cells.length !== 3 || cells.some((cell) => cell === ''))).toEqual([])
  })
})

it('throws every name, but the one of what is told in a report', () => {
  const sources = [...sourceTree()]
    .filter(([file]) => file !== 'src/contract/errors.ts')
    .map(([, source]) => source)
    .join('\n')
  expect(sessionErrorNames.filter((name) => !new RegExp(`SessionError\\(\\s*'${name}'`).test(sources))).toEqual([
    'Quarantined',
  ])
})
