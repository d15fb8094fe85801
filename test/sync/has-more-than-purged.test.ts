import { expect, it } from 'vitest'
import type { VersionVector } from '../../src/contract/entry.ts'
import type { SessionListing } from '../../src/contract/meta.ts'
import { hasMoreThanPurged } from '../../src/sync/has-more-than-purged.ts'

const local = (vector: VersionVector, life = 0) => ({ vector, listing: { life } as SessionListing })
const anew = { purged: { a: 2 }, hash: 'anew' }

it.each([
  ['all that was purged', local({ a: 2 }), anew, {}, false],
  ['more of a purged writer', local({ a: 3 }), anew, { a: 3 }, true],
  ['entries of its own', local({ a: 2, b: 1 }), anew, {}, true],
  ['entries of the session begun anew', local({ a: 2, c: 1 }), anew, { c: 1 }, false],
  ['both', local({ a: 2, b: 1, c: 1 }), anew, { c: 1 }, true],
  [
    'entries of another device, where nothing was begun anew',
    local({ a: 2, c: 1 }),
    { ...anew, hash: '' },
    { c: 1 },
    true,
  ],
  ['entries of another device, in a life that is over', local({ a: 2, c: 1 }), { ...anew, life: 1 }, { c: 1 }, true],
] as const)(
  'knows whether anything would be lost with a session that has %s',
  (_, session, entry, received, expected) => {
    expect(hasMoreThanPurged(session, entry, received)).toBe(expected)
  },
)
