import { describe, expect, it } from 'vitest'
import type { ContextManager, ContextManagerParts } from '../../src/dialects/picoclaw/context-manager.ts'
import { createManagerRegistry } from '../../src/dialects/picoclaw/manager-registry.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'

const parts: ContextManagerParts = { store: createSessionStore(createMemoryBackend()) }
const createManager = (): ContextManager => ({
  assemble: () => Promise.reject(new Error('not asked')),
  shrink: async () => false,
  ingest: async () => undefined,
  clear: async () => undefined,
})
const usual = createManager()
const createRegistry = () => createManagerRegistry({ compaction: () => usual })

describe('context managers', () => {
  it('are made by name', async () => {
    const managers = createRegistry()
    const mine = createManager()
    managers.register('mine', async (given) => (given === parts ? mine : usual))
    expect(managers.names()).toEqual(['compaction', 'mine'])
    expect(await managers.create('mine', parts)).toEqual({ name: 'mine', manager: mine })
  })

  it('are the default when none is asked for', async () =>
    expect(await createRegistry().create(undefined, parts)).toEqual({ name: 'compaction', manager: usual }))

  it.each(['', '  ', 'compaction'])('have no name "%s" twice or blank', (name) => {
    expect(() => createRegistry().register(name, createManager)).toThrowError(
      expect.objectContaining({ name: 'InvalidInput' }),
    )
  })

  it('have a factory', () => expect(() => createRegistry().register('mine', undefined as never)).toThrow(TypeError))

  it('of an unknown name are the default, which says so', async () => {
    for (const name of ['mine', '', 'constructor']) {
      expect(await createRegistry().create(name, parts)).toEqual({
        name: 'compaction',
        manager: usual,
        fallback: expect.stringContaining(`"${name}"`),
      })
    }
  })

  it.each<[string, () => unknown]>([
    [
      'fails',
      () => {
        throw new Error('out of order')
      },
    ],
    [
      'fails later',
      async () => {
        throw new Error('out of order')
      },
    ],
    [
      'throws a text',
      () => {
        throw 'out of order'
      },
    ],
  ])('whose factory %s are the default, which says why', async (_, factory) => {
    const managers = createRegistry()
    managers.register('mine', factory as never)
    expect(await managers.create('mine', parts)).toEqual({
      name: 'compaction',
      manager: usual,
      fallback: 'out of order',
    })
  })

  it('whose factory gives something else are the default', async () => {
    const managers = createRegistry()
    managers.register('mine', (() => ({ assemble: () => undefined })) as never)
    expect(await managers.create('mine', parts)).toMatchObject({
      name: 'compaction',
      fallback: expect.stringContaining('shrink'),
    })
  })

  it('fail when the default does', async () => {
    const managers = createManagerRegistry({
      compaction: () => {
        throw new Error('no store')
      },
    })
    await expect(managers.create(undefined, parts)).rejects.toThrow('no store')
    await expect(managers.create('mine', parts)).rejects.toThrow('no store')
  })

  it('of one registry are unknown to another', () => {
    createRegistry().register('mine', createManager)
    expect(createRegistry().names()).toEqual(['compaction'])
  })
})
