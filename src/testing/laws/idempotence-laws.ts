import { expect } from 'vitest'
import { calls, repeatable, setScene } from '../calls.ts'
import { allChanges, assistant, entryOf, history, numbered, refuses, say, transcript, user } from '../helpers.ts'
import { type Laws, lawsForEach, needs } from '../law.ts'

const options = { operationId: 'op-1' }

export const idempotenceLaws: Laws = {
  ...lawsForEach(repeatable, (method) => [
    `L8: ${method} changes nothing when it is repeated, and gives the first result`,
    async ({ store }) => {
      const scene = await setScene(store, 's')
      if (method === 'undelete') await store.delete('s')
      const first = await calls[method](store, 's', scene, options)
      const { entries } = await store.usage('s')
      const meta = await store.getMeta('s')
      expect(await calls[method](store, 's', scene, options)).toEqual(first)
      expect((await store.usage('s')).entries).toBe(entries)
      expect(await store.getMeta('s')).toEqual(meta)
    },
  ]),

  ...lawsForEach(repeatable, (method) => [
    `L8: ${method} is done once when it is called twice at the same time`,
    async ({ store }) => {
      const scene = await setScene(store, 's')
      if (method === 'undelete') await store.delete('s')
      const [first, second] = await Promise.all([
        calls[method](store, 's', scene, options),
        calls[method](store, 's', scene, options),
      ])
      expect(second).toEqual(first)
      const { entries } = await store.usage('s')
      await calls[method](store, 's', scene, options)
      expect((await store.usage('s')).entries).toBe(entries)
    },
  ]),

  'L8: refuses the same id with other content': async ({ store }) => {
    const operationId = 'op-1'
    await say(store, 's', ['a'], { operationId })
    await refuses(say(store, 's', ['b'], { operationId }), 'OperationConflict')
    await refuses(say(store, 's', ['a', 'b'], { operationId }), 'OperationConflict')
    await refuses(store.addMessage('s', 'user', 'c', { operationId }), 'OperationConflict')
    await refuses(store.updateMeta('s', { title: 'x' }, { operationId }), 'OperationConflict')
    await refuses(store.delete('s', { operationId }), 'OperationConflict')
    expect(await history(store, 's')).toEqual(['a'])
  },

  'L8: gives the first result even when much happened since': async ({ store }) => {
    const options = { operationId: 'op-1' }
    const first = await store.append('s', [entryOf(user('a'))], options)
    await store.openBranch('s', { after: first.entries[0]! })
    await say(store, 's', ['b'])
    await store.truncateHistory('s', 0)
    expect(await store.append('s', [entryOf(user('a'))], options)).toEqual(first)
    expect(await transcript(store, 's')).toEqual([])
  },

  'L8: gives the first result of an append of many entries': needs(['newestOnly'], async ({ store }) => {
    const options = { operationId: 'op-1' }
    const batch = numbered(300).flatMap((text) => [entryOf(user(text)), entryOf(assistant(text))])
    await say(store, 's', ['before'])
    const first = await store.append('s', batch, options)
    for (const text of numbered(6, 'later')) await say(store, 's', [text], { operationId: text })
    expect(await store.append('s', batch, options)).toEqual(first)
    expect((await store.getMeta('s'))?.messageCount).toBe(607)
  }),

  'L8: repeats an append when the session was deleted since, and remembers that one': async ({ store }) => {
    await say(store, 's', ['a'], options)
    await store.delete('s')
    const again = await say(store, 's', ['a'], options)
    expect(await transcript(store, 's')).toEqual(['a'])
    expect(await say(store, 's', ['a'], options)).toEqual(again)
    expect(await transcript(store, 's')).toEqual(['a'])
  },

  'L8: repeats an append when the session was restarted since, also with other content': async ({ store }) => {
    for (const text of numbered(8)) await say(store, 's', [text], { operationId: `op-${text}` })
    await store.delete('s')
    await say(store, 's', ['afresh'])
    await say(store, 's', ['m7'], { operationId: 'op-m7' })
    await say(store, 's', ['other'], { operationId: 'op-m0' })
    await say(store, 's', ['m1'], { operationId: 'op-m1' })
    for (const [text, id] of [
      ['m7', 'm7'],
      ['other', 'm0'],
      ['m1', 'm1'],
    ] as const)
      await say(store, 's', [text], { operationId: `op-${id}` })
    expect(await transcript(store, 's')).toEqual(['afresh', 'm7', 'other', 'm1'])
  },

  'L8: remembers an append again when its session was brought back': async ({ store }) => {
    const first = await say(store, 's', ['a'], options)
    await store.delete('s')
    await store.undelete('s')
    expect(await say(store, 's', ['a'], options)).toEqual(first)
    expect(await transcript(store, 's')).toEqual(['a'])
  },

  'L8: repeats an append when the session was purged since': async ({ store }) => {
    for (const text of numbered(8)) await say(store, 's', [text], { operationId: text })
    await store.purge('s')
    for (const text of ['m0', 'm7']) await say(store, 's', [text], { operationId: text })
    expect(await transcript(store, 's')).toEqual(['m0', 'm7'])
  },

  'L8: repeats an append when its line was emptied since': async ({ store }) => {
    await say(store, 's', ['a'], options)
    await store.truncateHistory('s', 0)
    await say(store, 's', ['a'], options)
    expect(await transcript(store, 's')).toEqual(['a'])
    await store.setHistory('s', [])
    await say(store, 's', ['a'], options)
    await say(store, 's', ['a'], options)
    expect(await transcript(store, 's')).toEqual(['a'])
  },

  'L8: remembers an append whose history was replaced since, and not emptied': async ({ store }) => {
    await say(store, 's', ['a'], options)
    await store.setHistory('s', [user('b'), assistant('c')])
    await say(store, 's', ['a'], options)
    expect(await transcript(store, 's')).toEqual(['b', 'c'])
  },

  'L8: remembers an append of which only others were forgotten, edited or removed': async ({ store }) => {
    await say(store, 's', ['before'])
    const [entry] = await say(store, 's', ['a'], options)
    await store.truncateHistory('s', 1)
    await say(store, 's', ['a'], options)
    await store.edit('s', entry!, user('edited'))
    await say(store, 's', ['a'], options)
    await store.remove('s', entry!)
    await say(store, 's', ['a'], options)
    expect(await transcript(store, 's')).toEqual([])
  },

  'L8: repeats a setter when the session was restarted since': async ({ store }) => {
    await say(store, 's', ['a'])
    await store.setSummary('s', 'sum', options)
    await store.updateMeta('s', { title: 't' }, { operationId: 'op-2' })
    await store.delete('s')
    await say(store, 's', ['b'])
    await store.setSummary('s', 'sum', options)
    await store.updateMeta('s', { title: 't' }, { operationId: 'op-2' })
    expect(await store.getMeta('s')).toMatchObject({ summary: 'sum', title: 't' })
  },

  'L8: repeats no delete and no undelete': async ({ store }) => {
    await say(store, 's', ['a'])
    await store.delete('s', options)
    await store.undelete('s', { operationId: 'op-2' })
    await store.delete('s')
    await store.undelete('s', { operationId: 'op-2' })
    expect(await transcript(store, 's')).toEqual([])
    await say(store, 's', ['b'])
    await store.delete('s', options)
    expect(await transcript(store, 's')).toEqual(['b'])
  },

  'L8: knows what another store on this place deleted since': needs(['openAnother'], async ({ store, openAnother }) => {
    const other = await openAnother()
    await say(store, 's', ['a'], options)
    await other.delete('s')
    await say(store, 's', ['a'], options)
    expect(await transcript(store, 's')).toEqual(['a'])
    await other.purge('s')
    await say(store, 's', ['a'], options)
    expect(await transcript(store, 's')).toEqual(['a'])
  }),

  'L8: remembers what was deleted on another device, and nothing that it had not seen': async ({
    store,
    openElsewhere,
  }) => {
    const other = await openElsewhere()
    await say(store, 's', ['a'], options)
    await other.merge('s', await allChanges(store, 's'))
    await say(store, 's', ['b'], { operationId: 'op-2' })
    await other.delete('s')
    await say(other, 's', ['afresh'])
    await store.merge('s', await allChanges(other, 's'))
    await say(store, 's', ['b'], { operationId: 'op-2' })
    await say(store, 's', ['a'], options)
    expect(await transcript(store, 's')).toEqual(['b', 'afresh', 'a'])
  },

  'L8: counts ids for each session separately': needs(['oneHistory'], async ({ store }) => {
    const options = { operationId: 'op-1' }
    await say(store, 's', ['a'], options)
    await say(store, 't', ['b'], options)
    expect([await history(store, 's'), await history(store, 't')]).toEqual([['a'], ['b']])
  }),

  'L8: does not remember a call that was refused': async ({ store }) => {
    const options = { operationId: 'op-1' }
    await refuses(store.append('s', [entryOf({ role: '' })], options), 'InvalidInput')
    await say(store, 's', ['a'], options)
    expect(await history(store, 's')).toEqual(['a'])
  },

  'L8: remembers the newest 1,024 operations': needs(['newestOnly'], async ({ store }) => {
    const ids = numbered(1_024, 'op')
    await say(store, 's', ['before'], { operationId: 'earlier' })
    await Promise.all(ids.map((operationId) => say(store, 's', [operationId], { operationId })))
    await say(store, 's', ['op0'], { operationId: 'op0' })
    await say(store, 's', ['op1023'], { operationId: 'op1023' })
    expect((await store.getMeta('s'))?.messageCount).toBe(1_025)
  }),

  'L8: remembers when it is opened again': needs(['reopen'], async ({ store, reopen }) => {
    const first = await store.append('s', [entryOf(user('a'))], { operationId: 'op-1' })
    await store.close()
    const again = await reopen()
    expect(await again.append('s', [entryOf(user('a'))], { operationId: 'op-1' })).toEqual(first)
    expect(await history(again, 's')).toEqual(['a'])
  }),

  'L14: refuses invalid ids': async ({ store }) => {
    for (const operationId of ['', 5, {}])
      await refuses(say(store, 's', ['a'], { operationId } as never), 'InvalidInput')
    expect(await store.getMeta('s')).toBeUndefined()
  },
}
