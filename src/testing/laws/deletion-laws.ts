import { expect } from 'vitest'
import { calls, type KeyedMethod, keyedMethods, setScene } from '../calls.ts'
import { allChanges, assistant, errorNameOf, everything, history, refuses, say, transcript } from '../helpers.ts'
import { type Laws, lawsForEach, needs } from '../law.ts'

const refused: readonly KeyedMethod[] = [
  'edit',
  'remove',
  'openBranch',
  'updateBranch',
  'deleteBranch',
  'switchBranch',
  'restoreCheckpoint',
  'deleteCheckpoint',
  'writeDraft',
  'sealDraft',
  'dropDraft',
]

export const deletionLaws: Laws = {
  'L12: hides a deleted session from every reader': async ({ store }) => {
    await setScene(store, 's')
    await store.delete('s')
    expect(await store.read('s')).toMatchObject({ entries: [], more: false })
    expect(await store.getHistory('s')).toEqual([])
    expect(await store.getSummary('s')).toBe('')
    expect(await store.listCheckpoints('s')).toEqual([])
    expect(await store.listDrafts('s')).toEqual([])
    expect(await store.findByMid('s', ['m1'])).toEqual([undefined])
  },

  'L12: keeps a deleted session off the list, and in the trash': needs(['listSessions'], async ({ store }) => {
    await say(store, 's', ['a'])
    await store.delete('s')
    expect(await store.listSessions()).toEqual({ sessions: [], total: 0 })
    expect(await store.listSessions({ deleted: true })).toMatchObject({
      total: 1,
      sessions: [{ key: 's', deletedAt: expect.any(Number) }],
    })
  }),

  ...lawsForEach(refused, (method) => [
    `L12: ${method} does not find a deleted session`,
    async ({ store }) => {
      const scene = await setScene(store, 's')
      await store.delete('s')
      await refuses(calls[method](store, 's', scene), 'SessionNotFound')
      expect(await transcript(store, 's')).toEqual([])
    },
  ]),

  'L12: shows nothing of what was deleted, whatever is done but undeleting': needs(
    ['oneHistory'],
    async ({ store }) => {
      for (const method of keyedMethods) {
        if (method === 'undelete') continue
        const scene = await setScene(store, method)
        await store.delete(method)
        await errorNameOf(() => calls[method](store, method, scene))
        expect([method, (await history(store, method)).filter((text) => text === 'two' || text === 'three')]).toEqual([
          method,
          [],
        ])
        expect([
          method,
          (await transcript(store, method)).filter((text) => text === 'two' || text === 'three'),
        ]).toEqual([method, []])
      }
    },
  ),

  'L12: refuses an append that may not restart a deleted session': async ({ store }) => {
    await refuses(say(store, 's', ['never was'], { onDeleted: 'refuse' }), 'SessionNotFound')
    await say(store, 's', ['old'])
    await say(store, 's', ['goes on'], { onDeleted: 'refuse' })
    await store.delete('s')
    await refuses(say(store, 's', ['late'], { onDeleted: 'refuse' }), 'SessionNotFound')
    expect(await transcript(store, 's')).toEqual([])
    await say(store, 's', ['new'], { onDeleted: 'restart' })
    expect(await transcript(store, 's')).toEqual(['new'])
  },

  'L12: brings a deleted session back as it was': async ({ store }) => {
    await setScene(store, 's')
    const { drafts: _, ...before } = (await everything(store, 's')) as { drafts: unknown; meta: { updatedAt: number } }
    await store.delete('s')
    await store.undelete('s')
    const { drafts: __, ...after } = (await everything(store, 's')) as typeof before & { drafts: unknown }
    expect({ ...after, meta: { ...after.meta, updatedAt: before.meta.updatedAt } }).toEqual(before)
  },

  'L12: restarts with an append, and shows nothing of the earlier history': async ({ store }) => {
    const scene = await setScene(store, 's')
    await store.switchBranch('s', scene.branch)
    await store.updateMeta('s', { title: 'old', memo: { old: 1 }, custom: { old: 1 }, tags: ['old'] })
    await store.delete('s')
    await say(store, 's', ['new'])
    expect([await history(store, 's'), await transcript(store, 's')]).toEqual([['new'], ['new']])
    expect(await store.getMeta('s')).toMatchObject({
      title: 'new',
      memo: {},
      custom: {},
      tags: [],
      summary: '',
      head: '',
      messageCount: 1,
      branches: [{ id: '' }],
    })
    expect((await store.getMeta('s'))?.deletedAt).toBeUndefined()
    expect([await store.listCheckpoints('s'), await store.listDrafts('s')]).toEqual([[], []])
  },

  'L12: keeps the restart when a branch opened before the deletion arrives late': async ({ store, openElsewhere }) => {
    const other = await openElsewhere()
    const [first] = await say(store, 's', ['old', 'older answer'])
    await other.merge('s', await allChanges(store, 's'))
    await other.openBranch('s', { after: first! })
    await say(other, 's', ['regenerated'])
    await new Promise((resolve) => setTimeout(resolve, 5))
    await store.delete('s')
    await say(store, 's', ['new'])
    await store.merge('s', await allChanges(other, 's'))
    await other.merge('s', await allChanges(store, 's'))
    for (const each of [store, other])
      expect([await history(each, 's'), await transcript(each, 's')]).toEqual([['new'], ['new']])
  },

  'L12: accepts a repeated delete or undelete silently': async ({ store }) => {
    await say(store, 's', ['a'])
    await store.undelete('s')
    expect(await history(store, 's')).toEqual(['a'])
    await store.delete('s')
    await store.delete('s')
    await store.undelete('s')
    expect(await history(store, 's')).toEqual(['a'])
  },

  'L12: keeps late entries of a deleted session hidden, and has them when it comes back': async ({
    store,
    openElsewhere,
  }) => {
    const other = await openElsewhere()
    await say(store, 's', ['a'])
    await other.merge('s', await allChanges(store, 's'))
    await say(other, 's', ['late'])
    await store.delete('s')
    expect(await store.merge('s', await allChanges(other, 's'))).toMatchObject({ added: 1, refused: [] })
    expect([await history(store, 's'), await transcript(store, 's')]).toEqual([[], []])
    await store.undelete('s')
    expect(await history(store, 's')).toEqual(['a', 'late'])
  },

  'L12: deletes on every device': async ({ store, openElsewhere }) => {
    const other = await openElsewhere()
    await say(store, 's', ['a'])
    await other.merge('s', await allChanges(store, 's'))
    await store.delete('s')
    await other.merge('s', await allChanges(store, 's'))
    expect(await history(other, 's')).toEqual([])
    await refuses(other.switchBranch('s', ''), 'SessionNotFound')
  },

  'L12: erases a session for good': needs(['oneHistory', 'listSessions'], async ({ store }) => {
    await setScene(store, 's')
    await store.updateMeta('s', { aliases: ['other'] })
    await store.purge('s')
    expect(await store.getMeta('s')).toBeUndefined()
    expect(await allChanges(store, 's')).toEqual([])
    expect(await store.usage()).toMatchObject({ sessions: 0, entries: 0, entryBytes: 0, draftBytes: 0 })
    expect([await store.listSessions(), await store.listSessions({ deleted: true })].map(({ total }) => total)).toEqual(
      [0, 0],
    )
    expect(await store.resolveSessionKey('other')).toBe('other')
    await refuses(store.undelete('s'), 'SessionNotFound')
    await say(store, 's', ['new'])
    expect(await history(store, 's')).toEqual(['new'])
  }),

  'L12: erases a deleted session too, and leaves its neighbours': needs(
    ['oneHistory', 'listSessions'],
    async ({ store }) => {
      await say(store, 'a', ['in a'])
      await say(store, 'b', ['in b'])
      await store.delete('a')
      await store.purge('a')
      expect((await store.listSessions({ deleted: true })).total).toBe(0)
      expect(await history(store, 'b')).toEqual(['in b'])
    },
  ),

  'L12: erases nothing where more is known than was to be erased': needs(['oneHistory'], async ({ store }) => {
    await say(store, 's', ['a'])
    const known = (await store.getVector('s'))!
    await say(store, 's', ['b'])
    await refuses(store.purge('s', { known }), 'ParentMoved')
    expect(await history(store, 's')).toEqual(['a', 'b'])
    await store.purge('s', { known: (await store.getVector('s'))! })
    expect(await store.getMeta('s')).toBeUndefined()
  }),

  'L12: erases nothing that was brought back since': needs(['oneHistory'], async ({ store }) => {
    await say(store, 's', ['kept'])
    await store.delete('s')
    const deletedAt = (await store.getMeta('s'))!.deletedAt!
    await store.undelete('s')
    await refuses(store.purge('s', { deletedAt }), 'ParentMoved')
    expect(await history(store, 's')).toEqual(['kept'])
    await store.delete('s')
    await store.purge('s', { deletedAt: (await store.getMeta('s'))!.deletedAt! })
    expect(await store.getMeta('s')).toBeUndefined()
  }),

  'L12: is deleted when it is opened again': needs(['reopen'], async ({ store, reopen }) => {
    await say(store, 's', ['a'])
    await say(store, 't', ['b'])
    await store.delete('s')
    await store.purge('t')
    await store.close()
    const again = await reopen()
    expect([await history(again, 's'), await history(again, 't')]).toEqual([[], []])
    expect((await again.listSessions({ deleted: true })).sessions.map(({ key }) => key)).toEqual(['s'])
  }),

  'L12: writes nothing of a draft into a session that was begun anew under its key': async ({ store }) => {
    for (const end of ['delete', 'purge'] as const) {
      await say(store, 's', ['a'])
      const draft = await store.openDraft('s', { role: 'assistant' })
      await store[end]('s')
      await say(store, 's', ['b'])
      await refuses(store.writeDraft('s', draft, 0, { text: 'x' }), 'SessionNotFound')
      await refuses(store.sealDraft('s', draft, assistant('x')), 'SessionNotFound')
      expect([await store.listDrafts('s'), await history(store, 's')]).toEqual([[], ['b']])
      await store.dropDraft('s', draft)
      await refuses(store.writeDraft('s', draft, 0, { text: 'x' }), 'InvalidInput')
    }
  },
}
