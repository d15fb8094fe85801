import { expect } from 'vitest'
import type { LeaderTerm } from '../../contract/term.ts'
import { calls, repeatable, setScene } from '../calls.ts'
import { everything, refuses, say } from '../helpers.ts'
import { type Laws, lawsForEach, needs } from '../law.ts'

const nobody: LeaderTerm = { term: 0, holder: '', beat: 0 }
const led = (term: number, holder = 'a', beat = 0): LeaderTerm => ({ term, holder, beat })

/** Writes that a leader may make. */
const fenced = [...repeatable, 'reclaim', 'merge', 'purge'] as const

export const termLaws: Laws = {
  'L22: has no leader at first, and reading the term changes nothing': async ({ store }) => {
    expect([await store.claimTerm(), await store.claimTerm()]).toEqual([nobody, nobody])
  },

  'L22: stores a claim only in place of the term it names': async ({ store }) => {
    expect(await store.claimTerm({ after: nobody, next: led(7) })).toEqual(led(7))
    for (const other of [nobody, led(7, 'b'), led(7, 'a', 1), led(6)])
      expect(await store.claimTerm({ after: other, next: led(9, 'b') })).toEqual(led(7))
    expect(await store.claimTerm({ after: led(7), next: led(7, 'a', 1) })).toEqual(led(7, 'a', 1))
    expect(await store.claimTerm()).toEqual(led(7, 'a', 1))
  },

  'L22: of two claims at the same time one is stored': async ({ store }) => {
    const found = await Promise.all([
      store.claimTerm({ after: nobody, next: led(1, 'a') }),
      store.claimTerm({ after: nobody, next: led(1, 'b') }),
    ])
    expect(found[1]).toEqual(found[0])
  },

  'L22: refuses a claim that would lower the term, or is invalid': async ({ store }) => {
    await store.claimTerm({ after: nobody, next: led(7) })
    const bad = [
      {},
      { after: led(7) },
      { after: led(7), next: led(6) },
      { after: led(7), next: led(Number.NaN) },
      { after: led(7), next: { ...led(8), holder: 1 } },
      { after: led(7), next: led(8.5) },
    ]
    for (const claim of bad) await refuses(store.claimTerm(claim as never), 'InvalidInput')
    expect(await store.claimTerm()).toEqual(led(7))
  },

  ...lawsForEach(fenced, (method) => [
    `L22: ${method} is stored for the current term, and refused for any other`,
    async ({ store }) => {
      const scene = await setScene(store, 's')
      if (method === 'undelete') await store.delete('s')
      if (method === 'reclaim')
        await store
          .truncateHistory('s', 0)
          .then(() => store.deleteBranch('s', scene.branch))
          .then(() => store.deleteCheckpoint('s', scene.checkpoint))
      await store.claimTerm({ after: nobody, next: led(7) })
      await store.claimTerm({ after: led(7), next: led(8, 'b') })
      const before = await everything(store, 's')
      for (const term of [7, 9]) await refuses(calls[method](store, 's', scene, { term }), 'NotLeader')
      expect(await everything(store, 's')).toEqual(before)
      await calls[method](store, 's', scene, { term: 8 })
      expect(await everything(store, 's')).not.toEqual(before)
    },
  ]),

  'L22: a write that is refused takes no other along': async ({ store }) => {
    await store.claimTerm({ after: nobody, next: led(1) })
    const written = await Promise.allSettled([
      say(store, 's', ['a']),
      say(store, 's', ['late'], { term: 2 }),
      say(store, 't', ['late'], { term: 2 }),
      say(store, 's', ['b'], { term: 1 }),
    ])
    expect(written.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  },

  'L22: refuses a term that is no number': async ({ store }) => {
    await refuses(say(store, 's', ['a'], { term: '1' as never }), 'InvalidInput')
    await refuses(store.purge('s', { term: -1 }), 'InvalidInput')
  },

  'L22: another store of the place sees the term, and refuses by it': needs(
    ['openAnother'],
    async ({ store, openAnother }) => {
      const other = await openAnother()
      await store.claimTerm({ after: nobody, next: led(1) })
      expect(await other.claimTerm({ after: led(1), next: led(2, 'b') })).toEqual(led(2, 'b'))
      await refuses(say(store, 's', ['late'], { term: 1 }), 'NotLeader')
      await say(other, 's', ['on time'], { term: 2 })
    },
  ),
}
