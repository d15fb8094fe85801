import { expect, it } from 'vitest'
import { namesOf } from '../../src/domain/names-of.ts'

it('gives no store a name that begins like those of what belongs to another store', () => {
  const stores = ['a', 'a:b', 'a:session', 'a%3Ab', 'a%', 'a/user:b', ':', '%', '']
  const clashes = stores.flatMap((one) =>
    stores.filter((other) => one !== other && `${namesOf(other)}:session:x`.startsWith(`${namesOf(one)}:`)),
  )
  expect(clashes).toEqual([])
})
