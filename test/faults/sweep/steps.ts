import type { EntryReceipt } from '../../../src/contract/entry.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'

/** What steps learn for those that come after them. */
export interface Memo {
  refs: readonly EntryReceipt[]
  branch: string
  checkpoint: string
  draft: string
  blob: string
}

/** One call of the public API. Repeated with the same operation id it changes nothing more. */
export interface Step {
  readonly method: keyof SessionStore
  readonly run: (store: SessionStore, memo: Memo, operationId: string) => Promise<unknown>
}

const step = (method: keyof SessionStore, run: Step['run']): Step => ({ method, run })
const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })
const long = 'long '.repeat(9_000)

/**
 * What an app does with two conversations, every method of a store at least once, in the order in which they need each
 * other.
 */
export const steps: readonly Step[] = [
  step('append', async (store, memo, operationId) => {
    const entries = [user('one'), assistant('two'), user('three'), assistant(long)].map((message, i) => ({
      type: 'message' as const,
      message: { ...message, id: `m${i}` },
    }))
    memo.refs = (await store.append('a', entries, { operationId })).entries
  }),
  step('addMessage', (store, _, operationId) => store.addMessage('a', 'user', 'four', { operationId })),
  step('addFullMessage', (store, _, operationId) =>
    store.addFullMessage(
      'a',
      { ...assistant('five'), tool_calls: [{ id: 't', function: { name: 'f', arguments: '{}' } }] },
      { operationId },
    ),
  ),
  step('append', (store, _, operationId) =>
    store.append('a', [{ type: 'message', message: { role: 'tool', tool_call_id: 't', content: 'result' } }], {
      operationId,
      durability: 'strict',
    }),
  ),
  step('read', (store) => store.read('a', { last: 3 })),
  step('findByMid', (store) => store.findByMid('a', ['m1', 'none'])),
  step('find', (store) => store.find('a', { mid: 'm1' })),
  step('put', (store, _, operationId) => store.put('a', user('three, put'), { mid: 'm2', operationId })),
  step('put', (store, _, operationId) => store.put('a', assistant('six'), { mid: 'm6', operationId })),
  step('transact', (store, _, operationId) =>
    store.transact(
      'a',
      [
        { type: 'append', entries: [{ type: 'message', message: user('seven') }] },
        { type: 'remove', target: { mid: 'm6' } },
      ],
      { operationId },
    ),
  ),
  step('pop', (store, _, operationId) => store.pop('a', { operationId })),
  step('edit', (store, { refs }, operationId) => store.edit('a', refs[0]!, user('one, edited'), { operationId })),
  step('remove', (store, { refs }, operationId) => store.remove('a', refs[1]!, { operationId })),
  step('ensureSessionMetadata', (store, _, operationId) =>
    store.ensureSessionMetadata('a', undefined, ['alias of a', 'other name'], { operationId }),
  ),
  step('resolveSessionKey', (store) => store.resolveSessionKey('alias of a')),
  step('getSessionScope', (store) => store.getSessionScope('a')),
  step('updateMeta', (store, _, operationId) =>
    store.updateMeta('alias of a', { title: 'A title', tags: ['x'], custom: { v: 1 } }, { operationId }),
  ),
  step('getMeta', (store) => store.getMeta('a')),
  step(
    'checkpoint',
    async (store, memo, operationId) =>
      void (memo.checkpoint = (await store.checkpoint('a', { label: 'here', state: { n: 1 }, operationId })).id),
  ),
  step('listCheckpoints', (store) => store.listCheckpoints('a')),
  step(
    'openBranch',
    async (store, memo, operationId) =>
      void (memo.branch = (await store.openBranch('a', { after: memo.refs[2]!, name: 'other', operationId })).id),
  ),
  step('append', (store, { branch }, operationId) =>
    store.append('a', [{ type: 'message', message: assistant('on a branch') }], { branch, operationId }),
  ),
  step('listBranches', (store) => store.listBranches('a')),
  step('updateBranch', (store, { branch }, operationId) =>
    store.updateBranch('a', branch, { name: 'renamed' }, { operationId }),
  ),
  step('switchBranch', (store, _, operationId) => store.switchBranch('a', '', { operationId })),
  step('deleteBranch', (store, { branch }, operationId) => store.deleteBranch('a', branch, { operationId })),
  step('append', (store, { refs }, operationId) =>
    store.append('a', [{ type: 'message', message: user('beside') }], {
      parent: refs[3]!.order,
      onConflict: 'branch',
      operationId,
    }),
  ),
  step('switchBranch', (store, _, operationId) => store.switchBranch('a', '', { operationId })),
  step('setSummary', (store, _, operationId) => store.setSummary('a', 'A summary', { operationId })),
  step('getSummary', (store) => store.getSummary('a')),
  step('setCompaction', (store, _, operationId) =>
    store.setCompaction('a', { summary: 'What was said', keepLast: 2 }, { operationId }),
  ),
  step('getHistory', (store) => store.getHistory('a')),
  step(
    'openDraft',
    async (store, memo) => void (memo.draft = await store.openDraft('a', { role: 'assistant', id: 'a draft' })),
  ),
  step('writeDraft', (store, { draft }) => store.writeDraft('a', draft, 0, { text: 'grow' })),
  step('writeDraft', (store, { draft }) => store.writeDraft('a', draft, 1, { text: 'ing' })),
  step('listDrafts', (store) => store.listDrafts('a')),
  step('sealDraft', (store, { draft }, operationId) =>
    store.sealDraft('a', draft, assistant('growing'), { operationId }),
  ),
  step('openDraft', (store) => store.openDraft('a', { role: 'assistant', id: 'dropped draft' })),
  step('dropDraft', (store) => store.dropDraft('a', 'dropped draft')),
  step('putBlob', async (store, memo) => void (memo.blob = await store.putBlob(new Blob(['bytes'])))),
  step('getBlob', (store, { blob }) => store.getBlob(blob)),
  step('writeRows', (store, _, operationId) =>
    store.writeRows(
      'settings',
      [
        { type: 'put', key: 'theme', value: { dark: true } },
        { type: 'insertIfAbsent', key: 'bytes', value: new Uint8Array([1, 2, 3]) },
        { type: 'delete', key: 'none' },
      ],
      { operationId },
    ),
  ),
  step('getRows', (store) => store.getRows('settings', ['theme', 'none'])),
  step('listRows', (store) => store.listRows('settings', { reverse: true })),
  step('listCollections', (store) => store.listCollections()),
  step('checkRows', (store) => store.checkRows({ repair: true })),
  step('truncateHistory', (store, _, operationId) => store.truncateHistory('a', 4, { operationId })),
  step('setHistory', (store, _, operationId) =>
    store.setHistory('b', [user('b one'), assistant('b two'), user('b three')], { operationId }),
  ),
  step('setHistory', (store, _, operationId) =>
    store.setHistory('b', [user('b one'), assistant('b other')], { operationId }),
  ),
  step('reclaim', (store) => store.reclaim('a')),
  step('save', (store) => store.save('b')),
  step('restoreCheckpoint', (store, { checkpoint }, operationId) =>
    store.restoreCheckpoint('a', checkpoint, { operationId }),
  ),
  step('deleteCheckpoint', (store, { checkpoint }, operationId) =>
    store.deleteCheckpoint('a', checkpoint, { operationId }),
  ),
  step('getVector', (store) => store.getVector('a')),
  step('changes', (store) => store.changes('a')),
  step('merge', async (store) => {
    const { entries } = await store.changes('b')
    return store.merge('c', entries)
  }),
  step('claimTerm', (store) => store.claimTerm()),
  step('listPurges', (store) => store.listPurges()),
  step('unflushed', (store) => store.unflushed()),
  step('flush', (store) => store.flush()),
  step('listSessions', (store) => store.listSessions({ order: 'title' })),
  step('usage', (store) => store.usage('a')),
  step('verify', (store) => store.verify()),
  step('repair', (store) => store.repair()),
  step('clear', (store, _, operationId) => store.clear('b', { operationId })),
  step('delete', (store, _, operationId) => store.delete('b', { operationId })),
  step('undelete', (store, _, operationId) => store.undelete('b', { operationId })),
  step('purge', (store) => store.purge('c')),
  step('forgetPurges', (store) => store.forgetPurges([])),
  step('ensureSessionMetadata', (store, _, operationId) =>
    store.ensureSessionMetadata('d', undefined, ['b'], { operationId }),
  ),
  step('addMessage', (store, _, operationId) => store.addMessage('d', 'user', 'after promotion', { operationId })),
]
