import { expect, it } from 'vitest'
import { entryProblem, sealEntry } from '../../src/domain/seal.ts'

it.each(['ranges', 'controls'])('refuses a purge whose %s name a writer that there can not be', (field) => {
  const problemOf = (writer: string): string | undefined => {
    const data = { ranges: {}, [field]: { [writer]: [[0, 1]] } }
    return entryProblem(sealEntry({ w: 5, s: 0, branch: '', type: 'purge', data, at: 1, clock: { hp: 50, hc: 0 } }))
  }
  expect(problemOf('a1')).toBeUndefined()
  expect(problemOf('__proto__ no writer')).toBe('it names a writer with an invalid id')
})
