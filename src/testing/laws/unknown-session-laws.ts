import { expect } from 'vitest'
import { calls, type KeyedMethod, keyedMethods, nowhere } from '../calls.ts'
import { refuses } from '../helpers.ts'
import { type Laws, lawsForEach } from '../law.ts'

/**
 * The contract's table of unknown keys: what each method gives, that it creates the session, or that it does not find
 * it.
 */
const outcomes: Readonly<Record<KeyedMethod, { readonly gives: unknown } | 'created' | 'SessionNotFound'>> = {
  read: { gives: { entries: [], more: false, skipped: 0, branch: '', version: 0, session: 0 } },
  getHistory: { gives: [] },
  listBranches: { gives: [] },
  listCheckpoints: { gives: [] },
  listDrafts: { gives: [] },
  find: { gives: undefined },
  findByMid: { gives: [undefined, undefined] },
  pop: { gives: undefined },
  clear: { gives: undefined },
  changes: { gives: { entries: [], vv: {} } },
  getSummary: { gives: '' },
  getMeta: { gives: undefined },
  getVector: { gives: undefined },
  getSessionScope: { gives: undefined },
  resolveSessionKey: { gives: expect.any(String) },
  save: { gives: undefined },
  reclaim: { gives: 0 },
  purge: { gives: undefined },
  verify: { gives: { sessions: 0, entries: 0, problems: [] } },
  repair: { gives: { sessions: 0, entries: 0, problems: [], repaired: 0 } },
  usage: { gives: expect.objectContaining({ sessions: 0, entries: 0, entryBytes: 0 }) },
  append: 'created',
  put: 'created',
  transact: 'created',
  addMessage: 'created',
  addFullMessage: 'created',
  setHistory: 'created',
  setSummary: 'created',
  truncateHistory: 'created',
  updateMeta: 'created',
  ensureSessionMetadata: 'created',
  setCompaction: 'created',
  openDraft: 'created',
  checkpoint: 'created',
  merge: 'created',
  edit: 'SessionNotFound',
  remove: 'SessionNotFound',
  openBranch: 'SessionNotFound',
  updateBranch: 'SessionNotFound',
  deleteBranch: 'SessionNotFound',
  switchBranch: 'SessionNotFound',
  delete: 'SessionNotFound',
  undelete: 'SessionNotFound',
  restoreCheckpoint: 'SessionNotFound',
  deleteCheckpoint: 'SessionNotFound',
  writeDraft: 'SessionNotFound',
  sealDraft: 'SessionNotFound',
  dropDraft: 'SessionNotFound',
}

export const unknownSessionLaws: Laws = lawsForEach(keyedMethods, (method) => {
  const outcome = outcomes[method]
  if (outcome === 'created') {
    return [
      `L7: ${method} creates a session that is unknown`,
      async ({ store }) => {
        await calls[method](store, 's', nowhere)
        expect(await store.getMeta('s')).toMatchObject({ head: '', archived: false })
      },
    ]
  }
  const does = outcome === 'SessionNotFound' ? 'does not find' : 'gives nothing for'
  return [
    `L7: ${method} ${does} a session that is unknown, and creates none`,
    async ({ store }) => {
      const call = calls[method](store, 's', nowhere)
      if (outcome === 'SessionNotFound') await refuses(call, 'SessionNotFound')
      else expect(await call).toEqual(outcome.gives)
      expect(await store.getMeta('s')).toBeUndefined()
      expect(await store.usage()).toMatchObject({ sessions: 0, entries: 0 })
      expect((await store.listSessions()).total + (await store.listSessions({ deleted: true })).total).toBe(0)
    },
  ]
})
