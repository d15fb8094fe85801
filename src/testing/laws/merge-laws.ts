import { expect } from 'vitest'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { entryId } from '../../domain/address.ts'
import { sealEntry } from '../../domain/seal.ts'
import { covers } from '../../domain/version-vector.ts'
import { foreignEntry, setScene } from '../calls.ts'
import { allChanges, assistant, entryOf, history, numbered, readAll, say, transcript, user } from '../helpers.ts'
import { type Laws, needs } from '../law.ts'
import { messages } from '../messages.ts'

/** Everything two devices that know the same entries agree on. */
async function agreed(store: SessionStore, key: string): Promise<unknown> {
  const branches = await store.listBranches(key)
  const meta = await store.getMeta(key)
  return {
    meta: meta === undefined ? undefined : { ...meta, branches: undefined },
    branches: branches.map(({ id, name, fork, isHead }) => ({ id, name, fork, isHead })),
    lines: await Promise.all(
      branches.flatMap(({ id }) =>
        (['raw', 'transcript', 'context'] as const).map((view) => readAll(store, key, { branch: id, view })),
      ),
    ),
    checkpoints: await store.listCheckpoints(key),
    summary: await store.getSummary(key),
  }
}

async function fill(store: SessionStore, key: string): Promise<void> {
  const scene = await setScene(store, key)
  await store.append(
    key,
    Object.values(messages)
      .slice(0, 20)
      .map((message) => entryOf(message)),
  )
  await store.edit(key, scene.first, user('edited'))
  await store.switchBranch(key, scene.branch)
  const [, second] = await say(store, key, ['b1', 'b2', 'b3'])
  await store.remove(key, second!)
  await store.setCompaction(key, { summary: 'short', keepLast: 1 })
  await store.updateMeta(key, { title: 'T', tags: ['x'] })
}

const shuffled = <T>(list: readonly T[]): T[] =>
  list
    .map((value, i) => [(i * 7_919) % list.length, value] as const)
    .sort(([a], [b]) => a - b)
    .map(([, value]) => value)

export const mergeLaws: Laws = {
  'L17: gives another store everything that is visible': async ({ store, openElsewhere }) => {
    const other = await openElsewhere()
    await fill(store, 's')
    const entries = await allChanges(store, 's')
    expect(await other.merge('s', entries)).toEqual({ added: entries.length, known: 0, refused: [] })
    expect(await agreed(other, 's')).toEqual(await agreed(store, 's'))
    expect(await history(other, 's')).toEqual(await history(store, 's'))
    expect([...(await allChanges(other, 's'))].map(({ crc }) => crc).sort()).toEqual(
      entries.map(({ crc }) => crc).sort(),
    )
  },

  'L17: changes nothing when the same entries come again': async ({ store, openElsewhere }) => {
    const other = await openElsewhere()
    await fill(store, 's')
    const entries = await allChanges(store, 's')
    await other.merge('s', entries)
    const before = await agreed(other, 's')
    expect(await other.merge('s', entries)).toEqual({ added: 0, known: entries.length, refused: [] })
    expect(await store.merge('s', entries)).toEqual({ added: 0, known: entries.length, refused: [] })
    expect(await agreed(other, 's')).toEqual(before)
  },

  'L17: gives the same result whatever the order of a batch': async ({ store, openElsewhere }) => {
    await fill(store, 's')
    const entries = await allChanges(store, 's')
    const expected = await agreed(store, 's')
    for (const order of [[...entries].reverse(), shuffled(entries)]) {
      const other = await openElsewhere()
      expect(await other.merge('s', order)).toEqual({ added: entries.length, known: 0, refused: [] })
      expect(await agreed(other, 's')).toEqual(expected)
    }
  },

  'L17: gives the same result entry by entry, whichever writer comes first': async ({ store, openElsewhere }) => {
    const second = await openElsewhere()
    await fill(store, 's')
    await second.merge('s', await allChanges(store, 's'))
    await fill(second, 's')
    await store.merge('s', await allChanges(second, 's'))
    const expected = await agreed(store, 's')
    const byWriter = [...(await allChanges(store, 's'))].sort((a, b) => a.w - b.w || a.s - b.s)
    const byPlace = [...byWriter].sort((a, b) => a.s - b.s || b.w - a.w)
    for (const order of [byWriter, byPlace]) {
      const other = await openElsewhere()
      for (const entry of order) expect(await other.merge('s', [entry])).toEqual({ added: 1, known: 0, refused: [] })
      expect(await agreed(other, 's')).toEqual(expected)
    }
  },

  'L17: takes what follows a gap where that is lost, and what was lost when it comes': async ({ store }) => {
    const entries = [0, 1, 2, 3].map((s) => foreignEntry(`m${s}`, s))
    expect(await store.merge('s', [entries[0]!, entries[3]!], { gapsAreLost: true })).toEqual({
      added: 2,
      known: 0,
      refused: [],
    })
    expect(await transcript(store, 's')).toEqual(['m0', 'm3'])
    expect(await store.merge('s', [entries[2]!])).toEqual({ added: 1, known: 0, refused: [] })
    expect(await store.merge('s', entries)).toEqual({ added: 1, known: 3, refused: [] })
    expect(await transcript(store, 's')).toEqual(numbered(4))
    expect((await store.verify('s')).problems).toEqual([])
  },

  'L17: takes nothing back that was lost and is purged now': async ({ store }) => {
    const entries = [0, 1, 2].map((s) => foreignEntry(`m${s}`, s))
    await store.merge('s', [entries[0]!, entries[2]!], { gapsAreLost: true })
    const { w, clock, at } = entries[2]!
    const purge = sealEntry({
      w: w + 1,
      s: 0,
      branch: '',
      type: 'purge',
      data: { ranges: { [w.toString(36)]: [[1, 2]] } },
      at,
      clock,
    })
    expect(await store.merge('s', [purge])).toEqual({ added: 1, known: 0, refused: [] })
    expect(await store.merge('s', entries)).toEqual({ added: 0, known: 3, refused: [] })
    expect(await transcript(store, 's')).toEqual(['m0', 'm2'])
    expect((await store.verify('s')).problems).toEqual([])
  },

  'L17: is not held up by numbers that are as large as they can be': async ({ store }) => {
    const last = Number.MAX_SAFE_INTEGER - 1
    const { w, clock, at } = foreignEntry('m', 0)
    const purge = sealEntry({
      w: w + 1,
      s: 0,
      branch: '',
      type: 'purge',
      data: { ranges: { [w.toString(36)]: [[0, last]] } },
      at,
      clock,
    })
    const late = sealEntry({ w, s: last, branch: '', type: 'message', data: { message: user('m') }, at, clock })
    expect(await store.merge('s', [late, purge])).toEqual({ added: 2, known: 0, refused: [] })
    expect(await transcript(store, 's')).toEqual(['m'])
    expect((await store.verify('s')).problems).toEqual([])
  },

  'L17: brings two stores that diverged to the same state, and hides nothing': async ({ store, openElsewhere }) => {
    const other = await openElsewhere()
    await say(store, 's', ['begin'])
    await other.merge('s', await allChanges(store, 's'))
    await store.append('s', [entryOf(user('q1')), entryOf(assistant('a1'))])
    await other.append('s', [entryOf(user('q2')), entryOf(assistant('a2'))])
    await store.updateMeta('s', { title: 'mine', tags: ['x'] })
    await other.updateMeta('s', { title: 'yours', custom: { y: 1 } })
    const [mine, yours] = [await allChanges(store, 's'), await allChanges(other, 's')]
    await store.merge('s', yours)
    await other.merge('s', mine)
    expect(await agreed(store, 's')).toEqual(await agreed(other, 's'))
    expect([...(await transcript(store, 's'))].sort()).toEqual(['a1', 'a2', 'begin', 'q1', 'q2'])
    const texts = await transcript(store, 's')
    expect([texts.indexOf('a1') - texts.indexOf('q1'), texts.indexOf('a2') - texts.indexOf('q2')]).toEqual([1, 1])
    expect(await store.getMeta('s')).toMatchObject({ tags: ['x'], custom: { y: 1 }, messageCount: 5 })
  },

  'L17: gives what a vector does not cover, and nothing else': async ({ store, openElsewhere }) => {
    const other = await openElsewhere()
    await say(store, 's', numbered(3))
    const { vv } = await store.changes('s')
    expect(await allChanges(store, 's', vv)).toEqual([])
    await store.updateMeta('s', { title: 'T' })
    await say(store, 's', ['new'])
    const fresh = await allChanges(store, 's', vv)
    expect(fresh.map(({ type }) => type).sort()).toEqual(['message', 'meta'])
    await other.merge('s', await allChanges(store, 's', {}))
    expect((await other.changes('s')).vv).toEqual((await store.changes('s')).vv)
  },

  'L17: gives what is new since a vector, wherever it stands, and nothing else': needs(
    ['newestOnly'],
    async ({ store, openElsewhere }) => {
      const other = await openElsewhere()
      await say(store, 's', numbered(300))
      await other.merge('s', await allChanges(store, 's'))
      const since = (await store.getVector('s'))!
      await say(store, 's', ['new'])
      await fill(other, 's')
      await store.merge('s', (await other.changes('s', since)).entries)
      await store.updateMeta('s', { title: 'newer' })
      const all = await allChanges(store, 's')
      const wanted = all.filter(({ w, s }) => !covers(since, w, s)).map(({ w, s }) => entryId(w, s))
      const { entries, vv, next } = await store.changes('s', since)
      expect([entries.map(({ w, s }) => entryId(w, s)).sort(), next]).toEqual([wanted.sort(), undefined])
      expect(await store.getVector('s')).toEqual(vv)
      expect((await store.changes('s', vv)).entries).toEqual([])
    },
  ),

  'L17: gives all changes of a long session in pages, each entry once': needs(
    ['newestOnly'],
    async ({ store, openElsewhere }) => {
      await say(store, 's', numbered(1_300))
      await store.updateMeta('s', { title: 'T' })
      const entries = await allChanges(store, 's')
      expect(entries.length).toBe(1_301)
      expect(new Set(entries.map(({ w, s }) => `${w}.${s}`)).size).toBe(1_301)
      const other = await openElsewhere()
      expect(await other.merge('s', entries)).toMatchObject({ added: 1_301 })
      expect(await transcript(other, 's')).toEqual(numbered(1_300))
    },
  ),

  'L17: puts late entries where they belong': needs(['newestOnly'], async ({ store, openElsewhere }) => {
    const [second, third] = [await openElsewhere(), await openElsewhere()]
    await say(store, 's', numbered(100))
    await second.merge('s', await allChanges(store, 's'))
    await say(second, 's', numbered(100, 'n'))
    const { vv } = await store.changes('s')
    await third.merge('s', await allChanges(second, 's', vv))
    expect(await transcript(third, 's')).toEqual(numbered(100, 'n'))
    await third.merge('s', await allChanges(store, 's'))
    expect(await transcript(third, 's')).toEqual([...numbered(100), ...numbered(100, 'n')])
    expect((await third.getMeta('s'))?.messageCount).toBe(200)
    expect((await third.verify('s')).problems).toEqual([])
  }),

  'L2: sorts what is written next after everything that was merged': async ({ store }) => {
    await say(store, 's', ['a'])
    await store.merge('s', [foreignEntry('from the past'), foreignEntry('also', 1)])
    await say(store, 's', ['b'])
    expect((await transcript(store, 's')).at(-1)).toBe('b')
  },
}
