import { expect, it } from 'vitest'
import { databaseName } from '../../src/client/opening/database-name.ts'

it('names a store without users as it is', () =>
  expect([databaseName(), databaseName('some')]).toEqual(['keepsession', 'some']))

it('gives no two of stores and users the same name', () => {
  const parts = ['a', 'b', '/', ':', '%', 'user', 'a/user', 'user:', '%2Fuser%3A', 'ä']
  const pairs = parts.flatMap((name) => [undefined, ...parts, 'a/user:b'].map((user) => databaseName(name, user)))
  expect(new Set(pairs).size).toBe(pairs.length)
})

it.each([
  ['a', ''],
  ['a/user:b', 'c'],
  ['a/user:b', undefined],
  ['a', 'half \ud83d'],
  ['a', '\udca9'],
])('refuses the store %j with the user %j', (name, user) =>
  expect(() => databaseName(name, user)).toThrow(expect.objectContaining({ name: 'InvalidInput' })),
)
