import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { assistant, entryOf, numbered, say, user } from '../../../src/testing/helpers.ts'

/** Bytes of a "picture", so that its hash is known everywhere. */
const picture = (name: string): Blob => new Blob([`picture of a ${name}`], { type: 'image/png' })

/** An operation that is repeated after an upgrade. */
export const repeated = { key: 'long', text: 'said once', operationId: 'operation-1' } as const

/**
 * Puts at least one of everything into a store: what a fixture of a format holds. Only ever add to it: older fixtures
 * were made with less.
 *
 * @param another - a store on the same place that owes nothing to this one's caches
 */
export async function fillStore(store: SessionStore, another: SessionStore): Promise<void> {
  const [cat, dog, bird, fish] = await Promise.all(
    ['cat', 'dog', 'bird', 'fish'].map((name) => store.putBlob(picture(name))),
  )

  // Records of every size, an entry outside of its record, an edit outside of it, a removed one.
  for (let i = 0; i < 3; i++) await say(store, 'long', numbered(40, `part ${i}, line `))
  for (const text of numbered(30, 'small ')) await store.addMessage('long', 'user', text)
  const body = await store.append('long', [entryOf(user(`large ${'x'.repeat(33_000)} ${dog}`))])
  const [edited, removed] = await say(store, 'long', ['to be edited', 'to be removed'])
  await store.edit('long', edited!, user(`edited ${'y'.repeat(33_000)} ${bird}`))
  await store.remove('long', removed!)
  await store.append('long', [entryOf(user(repeated.text))], { operationId: repeated.operationId })
  for (let i = 2; i < 8; i++)
    await store.addMessage('long', 'user', `operation ${i}`, { operationId: `operation-${i}` })
  await store.append('long', [
    {
      type: 'message',
      message: {
        role: 'assistant',
        content: [
          { type: 'image', blob: cat! },
          { type: 'text', text: `and again ${cat}` },
        ],
      },
    },
  ])
  await store.edit('long', body.entries[0]!, assistant('small again'))

  // A tree, with a checkpoint on it, and messages that a host library named.
  const forks = await say(store, 'tree', ['first', 'second', 'third'])
  await store.append('tree', [{ type: 'message', mid: 'host-1', message: assistant('named by its host') }])
  const checkpoint = await store.checkpoint('tree', { label: 'before', state: { step: 1 }, metadata: { why: 'test' } })
  const branch = await store.openBranch('tree', { after: forks[1]!, name: 'other', head: true })
  await say(store, 'tree', ['on the branch', `with the cat ${cat}`])
  await store.switchBranch('tree', '')
  await store.restoreCheckpoint('tree', checkpoint.id)
  await say(store, 'tree', ['after the restore'])
  const dead = await store.openBranch('tree', { after: 'start', name: 'deleted' })
  await store.deleteBranch('tree', dead.id)
  await store.updateBranch('tree', branch.id, { name: 'renamed' })

  // Cut, summarised, compacted; metadata of every kind.
  await say(store, 'cut', numbered(20, 'old '))
  await store.truncateHistory('cut', 8)
  await store.reclaim('cut')
  await store.setCompaction('cut', { summary: 'They spoke of old things.', keepLast: 3, details: { by: 'test' } })
  await say(store, 'cut', ['and then'])
  await store.updateMeta('cut', {
    title: 'Cut',
    tags: ['a', 'b'],
    custom: { avatar: fish! },
    memo: { note: 'memo' },
    archived: true,
    agentId: 'agent',
    userId: 'user',
    ttl: 1000,
  })
  await store.setSummary('cut', 'A summary of its own.')

  // Names: an alias, and a history that another session took over.
  await store.ensureSessionMetadata('owner', undefined, ['nickname'])
  await say(store, 'owner', ['reached by its nickname'])
  await say(store, 'was', [`its history moves, with ${bird}`])
  await store.ensureSessionMetadata('became', undefined, ['was'])

  // Deleted, started afresh, and gone for good.
  await say(store, 'deleted', [`hidden with ${dog}`])
  await store.delete('deleted')
  await say(store, 'afresh', ['before'])
  await store.delete('afresh')
  await say(store, 'afresh', ['after'])
  await say(store, 'purged', ['gone'])
  await store.purge('purged')

  // Another writer on the same line.
  await another.addMessage('long', 'assistant', 'from another tab')
  const { entries } = await another.changes('tree')
  await another.merge('merged', entries)

  await store.openDraft('long', { id: 'draft-1', role: 'assistant' })
  await store.writeDraft('long', 'draft-1', 0, { text: 'half ' })
  await store.writeDraft('long', 'draft-1', 1, { text: 'a reply', reasoning: 'thinking' })
}
