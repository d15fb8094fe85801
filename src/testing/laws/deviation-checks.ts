import { expect } from 'vitest'
import { history, numbered, refuses, say, user } from '../helpers.ts'
import type { DeviationChecks } from '../law.ts'
import { uncloneableChecks } from './bad-message-laws.ts'

/** What a store that deviates does instead. */
export const deviationChecks: DeviationChecks = {
  oneHistory: {
    'shows one history under every key': async ({ store }) => {
      await say(store, 'a', ['one'])
      await say(store, 'b', ['two'])
      expect([await history(store, 'a'), await history(store, 'b'), await history(store, 'never used')]).toEqual([
        ['one', 'two'],
        ['one', 'two'],
        ['one', 'two'],
      ])
      await store.truncateHistory('c', 1)
      expect(await history(store, 'a')).toEqual(['two'])
    },
  },

  newestOnly: {
    'keeps the newest 50 messages that are appended': async ({ store }) => {
      for (const text of numbered(45)) await say(store, 's', [text])
      await say(store, 's', numbered(20, 'n'))
      expect(await history(store, 's')).toEqual([...numbered(45).slice(15), ...numbered(20, 'n')])
      expect((await store.getMeta('s'))?.messageCount).toBe(50)
      await store.addMessage('s', 'user', 'last')
      expect((await store.getHistory('s')).length).toBe(50)
    },

    'keeps the newest 50 messages of a history that is set': async ({ store }) => {
      await store.setHistory('s', numbered(70).map(user))
      expect(await history(store, 's')).toEqual(numbered(70).slice(20))
    },
  },

  listSessions: {
    'lists no sessions': async ({ store }) => {
      await say(store, 's', ['a'])
      expect(await store.listSessions()).toEqual({ sessions: [], total: 0 })
      await store.delete('s')
      expect(await store.listSessions({ deleted: true })).toEqual({ sessions: [], total: 0 })
    },
  },

  abandonedDrafts: {
    'makes entries of the drafts of a store that was closed': async ({ store, reopen }) => {
      await say(store, 's', ['question'])
      const draft = await store.openDraft('s', { role: 'assistant' })
      await store.writeDraft('s', draft, 0, { text: 'half a' })
      await store.close()
      const again = await reopen()
      expect(await again.listDrafts('s')).toEqual([])
      expect(await again.getHistory('s')).toEqual([
        user('question'),
        { role: 'assistant', content: 'half a', interrupted: true },
      ])
    },
  },

  putBlob: {
    'refuses blobs, and knows of none': async ({ store }) => {
      await refuses(store.putBlob(new Blob(['x'])), 'StorageUnavailable')
      expect(await store.getBlob('0'.repeat(64))).toBeUndefined()
    },
  },

  uncloneable: uncloneableChecks,
}
