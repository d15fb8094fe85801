import type { Entry, EntryReceipt } from '../contract/entry.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import type { WriteOptions } from '../contract/store/write-options.ts'
import { sealEntry } from '../domain/seal.ts'
import { assistant, entryOf, user } from './helpers.ts'

/** Methods that name a session. */
export type KeyedMethod = Exclude<
  keyof SessionStore,
  | 'close'
  | 'listSessions'
  | 'putBlob'
  | 'getBlob'
  | 'getRows'
  | 'listRows'
  | 'writeRows'
  | 'listCollections'
  | 'checkRows'
  | 'claimTerm'
  | 'flush'
  | 'unflushed'
  | 'listPurges'
  | 'forgetPurges'
>

/** What there is in a session to call methods on. */
export interface Scene {
  readonly first: Pick<EntryReceipt, 'branch' | 'order'>
  readonly branch: string
  readonly checkpoint: string
  readonly draft: string
}

/** Fills a session with one of everything. */
export async function setScene(store: SessionStore, key: string): Promise<Scene> {
  const { entries } = await store.append(key, [
    entryOf(user('one'), { mid: 'm1' }),
    entryOf(assistant('two')),
    entryOf(user('three')),
  ])
  const first = entries[0]!
  const branch = await store.openBranch(key, {
    after: { branch: first.branch, order: first.order },
    name: 'side',
    head: false,
  })
  const checkpoint = await store.checkpoint(key, { label: 'here', state: { step: 1 } })
  const draft = await store.openDraft(key, { role: 'assistant' })
  await store.writeDraft(key, draft, 0, { text: 'draft' })
  await store.updateMeta(key, {
    scope: { version: 1, agent_id: 'main', channel: 'web', account: 'default' },
    summary: 'so far',
  })
  return { first, branch: branch.id, checkpoint: checkpoint.id, draft }
}

/** Names for things of a session that does not exist. */
export const nowhere: Scene = {
  first: { branch: '', order: '0'.repeat(20) },
  branch: '1.0',
  checkpoint: '1.1',
  draft: 'none',
}

/** An entry as another device would send it. */
export function foreignEntry(text = 'from elsewhere', s = 0): Entry {
  return sealEntry({
    w: 4_711,
    s,
    branch: '',
    type: 'message',
    data: { message: { role: 'user', content: text } },
    at: 1_700_000_000_000 + s,
    clock: { hp: 1_700_000_000_000 + s, hc: 0 },
  })
}

type Call = (store: SessionStore, key: string, scene: Scene, options?: WriteOptions) => Promise<unknown>

/**
 * One valid call of every method that names a session. A method that is added to the contract is missing here until it
 * has one.
 */
export const calls: Readonly<Record<KeyedMethod, Call>> = {
  append: (store, key, _, options) => store.append(key, [entryOf(user('four'))], options),
  read: (store, key) => store.read(key),
  edit: (store, key, { first }, options) => store.edit(key, first, user('one, edited'), options),
  remove: (store, key, { first }, options) => store.remove(key, first, options),
  find: (store, key, { first }) => store.find(key, first),
  findByMid: (store, key) => store.findByMid(key, ['m1', 'm2']),
  put: (store, key, _, options) => store.put(key, user('one, put'), { mid: 'm1', ...options }),
  transact: (store, key, _, options) =>
    store.transact(key, [{ type: 'append', entries: [entryOf(user('four')), entryOf(assistant('five'))] }], options),
  pop: (store, key, _, options) => store.pop(key, options),
  clear: (store, key, _, options) => store.clear(key, options),
  getMeta: (store, key) => store.getMeta(key),
  updateMeta: (store, key, _, options) => store.updateMeta(key, { title: 'A title' }, options),
  openBranch: (store, key, { first }, options) =>
    store.openBranch(key, { after: { branch: first.branch, order: first.order }, ...options }),
  listBranches: (store, key) => store.listBranches(key),
  updateBranch: (store, key, { branch }, options) => store.updateBranch(key, branch, { name: 'renamed' }, options),
  deleteBranch: (store, key, { branch }, options) => store.deleteBranch(key, branch, options),
  switchBranch: (store, key, { branch }, options) => store.switchBranch(key, branch, options),
  setCompaction: (store, key, _, options) => store.setCompaction(key, { summary: 'shorter', keepLast: 1 }, options),
  checkpoint: (store, key, _, options) => store.checkpoint(key, { label: 'again', ...options }),
  listCheckpoints: (store, key) => store.listCheckpoints(key),
  restoreCheckpoint: (store, key, { checkpoint }, options) => store.restoreCheckpoint(key, checkpoint, options),
  deleteCheckpoint: (store, key, { checkpoint }, options) => store.deleteCheckpoint(key, checkpoint, options),
  openDraft: (store, key) => store.openDraft(key, { role: 'assistant' }),
  writeDraft: (store, key, { draft }) => store.writeDraft(key, draft, 1, { text: ' and more' }),
  sealDraft: (store, key, { draft }, options) => store.sealDraft(key, draft, undefined, options),
  dropDraft: (store, key, { draft }) => store.dropDraft(key, draft),
  listDrafts: (store, key) => store.listDrafts(key),
  reclaim: (store, key, _, options) => store.reclaim(key, options),
  delete: (store, key, _, options) => store.delete(key, options),
  undelete: (store, key, _, options) => store.undelete(key, options),
  purge: (store, key, _, options) => store.purge(key, options),
  merge: (store, key, _, options) => store.merge(key, [foreignEntry()], options),
  getVector: (store, key) => store.getVector(key),
  changes: (store, key) => store.changes(key),
  verify: (store, key) => store.verify(key),
  repair: (store, key) => store.repair(key),
  usage: async (store, key) => {
    // What the browser says of the whole origin changes by itself.
    const { originBytes: _, quotaBytes: __, ...own } = await store.usage(key)
    return own
  },
  addMessage: (store, key, _, options) => store.addMessage(key, 'user', 'four', options),
  addFullMessage: (store, key, _, options) => store.addFullMessage(key, user('four'), options),
  getHistory: (store, key) => store.getHistory(key),
  setHistory: (store, key, _, options) => store.setHistory(key, [user('one'), user('another')], options),
  getSummary: (store, key) => store.getSummary(key),
  setSummary: (store, key, _, options) => store.setSummary(key, 'a summary', options),
  truncateHistory: (store, key, _, options) => store.truncateHistory(key, 1, options),
  save: (store, key) => store.save(key),
  ensureSessionMetadata: (store, key, _, options) =>
    store.ensureSessionMetadata(
      key,
      { version: 1, agent_id: 'main', channel: 'web', account: 'other' },
      undefined,
      options,
    ),
  resolveSessionKey: (store, key) => store.resolveSessionKey(key),
  getSessionScope: (store, key) => store.getSessionScope(key),
}

export const keyedMethods = Object.keys(calls) as readonly KeyedMethod[]

/** Methods whose calls can be repeated under an operation id. */
export const repeatable = [
  'append',
  'edit',
  'remove',
  'put',
  'transact',
  'pop',
  'clear',
  'updateMeta',
  'openBranch',
  'updateBranch',
  'deleteBranch',
  'switchBranch',
  'setCompaction',
  'checkpoint',
  'restoreCheckpoint',
  'deleteCheckpoint',
  'sealDraft',
  'delete',
  'undelete',
  'addMessage',
  'addFullMessage',
  'setHistory',
  'setSummary',
  'truncateHistory',
  'ensureSessionMetadata',
] as const satisfies readonly KeyedMethod[]
