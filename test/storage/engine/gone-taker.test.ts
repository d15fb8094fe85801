import { describe, expect, it } from 'vitest'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { user } from '../../../src/testing/helpers.ts'

// A session whose history was moved to another one, which was purged then, is a session of its own again.
describe.each(['followed', 'not followed'] as const)('a session whose history went with another one (%s)', (how) => {
  async function open() {
    const backend = createMemoryBackend()
    const listeners: (() => void)[] = []
    const store = createSessionStore(backend, how === 'followed' ? { onChange: () => listeners.at(0)?.() } : {})
    await store.append('a', [{ type: 'message', message: user('one') }])
    await store.ensureSessionMetadata('taker', undefined, ['a'])
    await store.purge('taker')
    return store
  }

  it.each<[string, (store: Awaited<ReturnType<typeof open>>) => Promise<unknown>]>([
    ['truncateHistory', (store) => store.truncateHistory('a', 1)],
    ['updateMeta', (store) => store.updateMeta('a', {})],
    ['setSummary', (store) => store.setSummary('a', '')],
    ['clear', (store) => store.clear('a')],
    ['append', (store) => store.append('a', [{ type: 'message', message: user('two') }])],
  ])('settles each call: %s', async (_, call) => {
    const store = await open()
    await call(store).catch(() => undefined)
    await call(store).catch(() => undefined)
    expect(await store.resolveSessionKey('a')).toBe('a')
    await store.close()
  })
})
