import { describe, expect, it } from 'vitest'
import { type LeftSessions, moveSession } from '../../src/client/opening/move-session.ts'
import { ownersFirst } from '../../src/client/worker/move-left-sessions.ts'
import { SessionError } from '../../src/contract/errors.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { sealEntry } from '../../src/domain/seal.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { openWebStorageBackend } from '../../src/storage/web-storage-backend.ts'
import { damageWebStorage } from '../storage/damage-web-storage.ts'
import { createWebStorage } from '../support/web-storage.ts'

async function leave(): Promise<LeftSessions & { readonly storage: Storage }> {
  const storage = createWebStorage()
  const store = createSessionStore(await openWebStorageBackend({ name: 'left', storage }))
  const at = (key: string): string => `left:session:${key}`
  return {
    storage,
    store,
    keys: () => ['k'],
    text: (key) => storage.getItem(at(key)),
    remove: (key, text) => {
      if (storage.getItem(at(key)) === text) storage.removeItem(at(key))
    },
  }
}

async function fill({ store }: LeftSessions): Promise<void> {
  for (let n = 0; n < 6; n++) await store.addMessage('k', n % 2 === 0 ? 'user' : 'assistant', `${n}`)
  await store.truncateHistory('k', 4)
  await store.updateMeta('k', { title: 'T', aliases: ['alias'] })
  const [entry] = (await store.read('k')).entries
  await store.openBranch('k', { after: entry! })
  await store.addMessage('k', 'user', 'other way')
}

const openTarget = (): SessionStore => createSessionStore(createMemoryBackend(), {})

describe('a session that is moved', () => {
  it('is the same there, entry by entry, and gone from where it was', async () => {
    const [left, target] = [await leave(), openTarget()]
    await fill(left)
    const before = [await left.store.changes('k'), await left.store.getMeta('k'), await left.store.getHistory('k')]
    await moveSession(left, target, 'k')
    expect([await target.changes('k'), await target.getMeta('k'), await target.getHistory('k')]).toEqual(before)
    expect(await target.resolveSessionKey('alias')).toBe('k')
    expect(left.text('k')).toBe(null)
    expect((await target.verify()).problems).toEqual([])
  })

  it('joins the one of that key that is there', async () => {
    const [left, target] = [await leave(), openTarget()]
    await fill(left)
    await target.addMessage('k', 'user', 'there')
    await moveSession(left, target, 'k')
    const raw = (await target.read('k', { branch: '', view: 'raw' })).entries.map(({ message }) => message?.content)
    expect(raw.toSorted()).toEqual(['0', '1', '2', '3', '4', '5', 'there'])
  })

  it('leaves an alias to the session that has it', async () => {
    const [left, target] = [await leave(), openTarget()]
    await fill(left)
    await left.store.updateMeta('z', { aliases: ['shared'] })
    await left.store.ensureSessionMetadata('k', undefined, ['shared'])
    const order = await ownersFirst({ store: left.store, keys: () => ['k', 'z'] })
    expect(order).toEqual(['z', 'k'])
    for (const key of order) await moveSession(left, target, key)
    expect([await target.resolveSessionKey('shared'), await target.resolveSessionKey('alias')]).toEqual(['z', 'k'])
  })

  it('takes along replies that nobody has ended', async () => {
    const [left, target] = [await leave(), openTarget()]
    await fill(left)
    const draft = await left.store.openDraft('k', { role: 'assistant' })
    await left.store.writeDraft('k', draft, 0, { text: 'half a' })
    await left.store.openDraft('k', { role: 'assistant' })
    await moveSession(left, target, 'k')
    expect((await target.getHistory('k')).at(-1)?.content).toBe('half a')
  })

  it('takes along replies that have no text, and says that they were cut off', async () => {
    const [left, target] = [await leave(), openTarget()]
    await fill(left)
    const draft = await left.store.openDraft('k', { role: 'assistant' })
    await left.store.writeDraft('k', draft, 0, {
      parts: [{ type: 'toolInput', id: 'c', name: 'look', input: '{"q":' }],
    })
    await moveSession(left, target, 'k')
    expect((await target.getHistory('k')).at(-1)).toMatchObject({
      interrupted: true,
      tool_calls: [{ id: 'c', function: { name: 'look', arguments: '{"q":' } }],
    })
  })

  it('stays deleted', async () => {
    const [left, target] = [await leave(), openTarget()]
    await fill(left)
    await left.store.delete('k')
    await moveSession(left, target, 'k')
    expect((await target.getMeta('k'))?.deletedAt).toBeGreaterThan(0)
    expect(left.text('k')).toBe(null)
    await target.undelete('k')
    expect((await target.getHistory('k')).at(-1)?.content).toBe('other way')
  })

  it('begins a deleted one of that key anew, with all that was held', async () => {
    const [left, target] = [await leave(), openTarget()]
    await target.addMessage('k', 'user', 'deleted')
    await target.updateMeta('k', { title: 'Old', tags: ['old'] })
    await target.delete('k')
    await fill(left)
    const before = await left.store.getHistory('k')
    const interrupted: SessionStore = { ...target, merge: async () => Promise.reject(new Error('The page was left.')) }
    await expect(moveSession(left, interrupted, 'k')).rejects.toThrow('The page was left.')
    expect(left.text('k')).not.toBe(null)
    await target.delete('k')
    await moveSession(left, target, 'k')
    expect(await target.getHistory('k')).toEqual(before)
    expect(await target.getMeta('k')).toMatchObject({ title: 'T', tags: [], aliases: ['alias'] })
    expect(left.text('k')).toBe(null)
    expect((await target.verify()).problems).toEqual([])
  })

  it.each(['reclaim', 'merge', 'updateMeta', 'switchBranch'] as const)(
    'is whole after an attempt that ended before %s, when the deleted one had begun anew',
    async (method) => {
      const [left, target] = [await leave(), openTarget()]
      await target.addMessage('k', 'user', 'deleted')
      await target.updateMeta('k', { title: 'Old' })
      await target.delete('k')
      await fill(left)
      const before = [await left.store.getHistory('k'), (await left.store.read('k')).branch]
      const interrupted = { ...target, [method]: async () => Promise.reject(new Error('The page was left.')) }
      await expect(moveSession(left, interrupted, 'k')).rejects.toThrow('The page was left.')
      await moveSession(left, target, 'k')
      expect([await target.getHistory('k'), (await target.read('k')).branch]).toEqual(before)
      expect(await target.getMeta('k')).toMatchObject({ title: 'T', messageCount: 2 })
      const shown = await Promise.all(
        (await target.listBranches('k')).map(async ({ id }) => (await target.read('k', { branch: id })).entries),
      )
      expect(shown.flat().map(({ message }) => message?.content)).not.toContain('deleted')
    },
  )

  it('leaves the line that another one chose after it had begun anew', async () => {
    const [left, target] = [await leave(), openTarget()]
    await target.addMessage('k', 'user', 'deleted')
    await target.delete('k')
    await fill(left)
    const interrupted: SessionStore = {
      ...target,
      switchBranch: async () => Promise.reject(new Error('The page was left.')),
    }
    await expect(moveSession(left, interrupted, 'k')).rejects.toThrow('The page was left.')
    const [entry] = (await target.read('k', { branch: '' })).entries
    const { id } = await target.openBranch('k', { after: entry! })
    await moveSession(left, target, 'k')
    expect((await target.read('k')).branch).toBe(id)
  })

  it('takes along the usable fields beside one that this release does not know', async () => {
    const [left, target] = [await leave(), openTarget()]
    const describe = async (store: SessionStore, w: number, title: string): Promise<void> => {
      await store.updateMeta('k', { title, summary: title })
      const [entry] = (await store.changes('k')).entries
      const strange = sealEntry({ ...entry!, w, s: 0, data: { set: { strange: title } } })
      expect((await store.merge('k', [strange])).refused).toEqual([])
    }
    await describe(target, 1, 'Old')
    await target.delete('k')
    await describe(left.store, 2, 'T')
    await moveSession(left, target, 'k')
    expect(await target.getMeta('k')).toMatchObject({ title: 'T', summary: 'T' })
    expect(left.text('k')).toBe(null)
  })

  it('is shown whole if it went on where it was after an attempt whose copy was deleted', async () => {
    const [left, target] = [await leave(), openTarget()]
    await fill(left)
    await moveSession({ ...left, remove: () => undefined }, target, 'k')
    await target.delete('k')
    await left.store.addMessage('k', 'user', 'goes on')
    const before = await left.store.getHistory('k')
    await moveSession(left, target, 'k')
    expect(await target.getHistory('k')).toEqual(before)
    expect(await target.getMeta('k')).toMatchObject({ title: 'T', aliases: ['alias'] })
    expect(left.text('k')).toBe(null)
  })

  it('stays deleted there if it was deleted after it had been moved', async () => {
    const [left, target] = [await leave(), openTarget()]
    await fill(left)
    const text = left.text('k')!
    await moveSession(left, target, 'k')
    await target.delete('k')
    left.storage.setItem('left:session:k', text)
    await moveSession(left, target, 'k')
    expect((await target.getMeta('k'))?.deletedAt).toBeGreaterThan(0)
    expect(left.text('k')).toBe(null)
  })

  it('comes in once when it is moved again', async () => {
    const [left, target] = [await leave(), openTarget()]
    await fill(left)
    const text = left.text('k')!
    await moveSession(left, target, 'k')
    await target.addMessage('k', 'user', 'later')
    await target.reclaim('k')
    const before = await target.changes('k')
    left.storage.setItem('left:session:k', text)
    await moveSession(left, target, 'k')
    expect(await target.changes('k')).toEqual(before)
    expect(left.text('k')).toBe(null)
  })
})

describe('a session that can not be moved', () => {
  it.each(['resolveSessionKey', 'merge', 'changes'] as const)(
    'because %s fails stays whole where it was, the other place has all or nothing, and the next attempt succeeds',
    async (method) => {
      const [left, target] = [await leave(), openTarget()]
      await fill(left)
      const [text, log] = [left.text('k'), await left.store.changes('k')]
      const broken: SessionStore = {
        ...target,
        [method]: async () => Promise.reject(new SessionError('QuotaExceeded', 'full')),
      }
      await expect(moveSession(left, broken, 'k')).rejects.toMatchObject({ name: 'QuotaExceeded' })
      expect(left.text('k')).toBe(text)
      const there = (await target.changes('k')).entries
      expect([0, log.entries.length]).toContain(there.length)
      await moveSession(left, target, 'k')
      expect(await target.changes('k')).toEqual(log)
      expect(left.text('k')).toBe(null)
    },
  )

  it('because a part of it was not there afterwards stays', async () => {
    const [left, target] = [await leave(), openTarget()]
    await fill(left)
    const forgetful: SessionStore = {
      ...target,
      merge: async (_, entries) => ({ added: entries.length, known: 0, refused: [] }),
    }
    await expect(moveSession(left, forgetful, 'k')).rejects.toMatchObject({ name: 'DataLoss' })
    expect(left.text('k')).not.toBe(null)
  })

  it('because a part of it can not be read stays', async () => {
    const [left, target] = [await leave(), openTarget()]
    await fill(left)
    // The last one, so that what stands before it could be taken.
    const [, session] = /^keepsession 1 (\d+)\n/.exec(left.text('k')!)!
    const [, record] = [...left.text('k')!.matchAll(/\ne 1 (\S+)\t/g)].at(-1)!
    await damageWebStorage(left.storage, Number(session), 1, record!)
    const text = left.text('k')
    await expect(moveSession(left, target, 'k')).rejects.toMatchObject({ name: 'DataLoss' })
    expect(left.text('k')).toBe(text)
    expect(await target.getMeta('k')).toBe(undefined)
  })

  it('because another entry has its address stays', async () => {
    const [left, target] = [await leave(), openTarget()]
    await left.store.addMessage('k', 'user', 'one')
    const text = left.text('k')!
    await moveSession(left, target, 'k')
    left.storage.setItem('left:session:k', text)
    const { entries } = await left.store.changes('k')
    const changed: LeftSessions = {
      ...left,
      store: { ...left.store, changes: async () => ({ entries: [{ ...entries[0]!, crc: 7 }], vv: {} }) },
    }
    await expect(
      moveSession(changed, { ...target, merge: async () => ({ added: 0, known: 1, refused: [] }) }, 'k'),
    ).rejects.toMatchObject({ name: 'DataLoss' })
    expect(left.text('k')).toBe(text)
  })

  it('because somebody writes to it meanwhile stays', async () => {
    const [left, target] = [await leave(), openTarget()]
    await fill(left)
    const slow: SessionStore = {
      ...target,
      merge: async (...args) => (await left.store.addMessage('k', 'user', 'meanwhile'), target.merge(...args)),
    }
    await moveSession(left, slow, 'k')
    expect(left.text('k')).toContain('meanwhile')
    await moveSession(left, target, 'k')
    expect((await target.getHistory('k')).at(-1)?.content).toBe('meanwhile')
  })

  it('because its key means another session there stays', async () => {
    const [left, target] = [await leave(), openTarget()]
    await fill(left)
    await target.updateMeta('other', { aliases: ['k'] })
    await expect(moveSession(left, target, 'k')).rejects.toMatchObject({ name: 'AliasConflict' })
    expect(await target.getHistory('other')).toEqual([])
  })
})
