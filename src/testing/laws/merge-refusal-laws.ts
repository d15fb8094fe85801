import { expect } from 'vitest'
import type { Entry } from '../../contract/entry.ts'
import { entryId } from '../../domain/address.ts'
import { sealEntry } from '../../domain/seal.ts'
import { foreignEntry } from '../calls.ts'
import { numbered, refuses, transcript, user } from '../helpers.ts'
import type { Laws } from '../law.ts'

/** What a merge leaves out. */
export const mergeRefusalLaws: Laws = {
  'L17: leaves out entries that follow a gap, and takes them once it is filled': async ({ store }) => {
    const entries = [0, 1, 2, 3].map((s) => foreignEntry(`m${s}`, s))
    const { added, refused } = await store.merge('s', [entries[0]!, entries[2]!, entries[3]!])
    expect([added, refused.length]).toEqual([1, 2])
    expect(await transcript(store, 's')).toEqual(['m0'])
    expect(await store.merge('s', entries)).toEqual({ added: 3, known: 1, refused: [] })
    expect(await transcript(store, 's')).toEqual(numbered(4))
  },

  'L17: takes the good entries, and says why it leaves out the others': async ({ store }) => {
    const good = foreignEntry('good')
    const next = foreignEntry('next', 1)
    const bad: readonly Entry[] = [
      { ...next, crc: next.crc + 1 },
      { ...next, data: { message: { role: 'user', content: 'changed on the way' } } },
      { ...next, order: good.order },
      { ...next, clock: { hp: 2 ** 47, hc: 0 } },
      { ...next, w: -1 },
      { ...next, s: 0.5 },
      { ...next, type: '' },
    ]
    const result = await store.merge('s', [...bad, good])
    expect(result).toMatchObject({ added: 1, known: 0 })
    expect(result.refused.length).toBe(bad.length)
    for (const { reason } of result.refused) expect(reason).toEqual(expect.stringMatching(/./))
    expect(await transcript(store, 's')).toEqual(['good'])
    expect(await store.merge('s', [next])).toMatchObject({ added: 1, refused: [] })
    expect(await transcript(store, 's')).toEqual(['good', 'next'])
  },

  'L17: leaves out an edit that would put something else in the place of a message': async ({ store }) => {
    const good = foreignEntry('good')
    for (const message of [null, 5, 'text', {}, { role: 5 }]) {
      const { w, order } = good
      const edit = sealEntry({
        w,
        s: 1,
        branch: '',
        type: 'edit',
        data: { branch: '', order, value: { message } },
        at: good.at,
        clock: { hp: good.clock.hp, hc: 1 },
      })
      expect((await store.merge('s', [good, edit])).refused).toEqual([
        { id: entryId(w, 1), reason: expect.stringContaining('data.value') },
      ])
    }
    expect(await transcript(store, 's')).toEqual(['good'])
  },

  'L17: leaves out an entry that takes the place of the one before it': async ({ store }) => {
    const first = foreignEntry('first')
    const { w, clock, at } = first
    const twin = sealEntry({ w, s: 1, branch: '', type: 'message', data: { message: user('twin') }, at, clock })
    expect(await store.merge('s', [first, twin])).toMatchObject({ added: 1, refused: [{ id: entryId(w, 1) }] })
    expect([await transcript(store, 's'), (await store.verify('s')).problems]).toEqual([['first'], []])
  },

  'L17: leaves out values that are not entries': async ({ store }) => {
    const nonsense = [null, 5, 'text', {}, [], { w: 1 }] as unknown as readonly Entry[]
    const result = await store.merge('s', [...nonsense, foreignEntry('good')])
    expect([result.added, result.refused.length]).toEqual([1, nonsense.length])
    expect(await transcript(store, 's')).toEqual(['good'])
  },

  'L14: refuses to merge a value that is not a list': async ({ store }) => {
    for (const entries of [null, undefined, 'text', { length: 1 }])
      await refuses(store.merge('s', entries as never), 'InvalidInput')
    expect(await store.getMeta('s')).toBeUndefined()
  },
}
