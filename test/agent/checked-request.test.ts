import { expect, it } from 'vitest'
import { createContextManagers } from '../../src/dialects/chat/create-context-managers.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'

it.each(createContextManagers().names())(
  'a window that is no number is refused by %s, which would send nothing with it',
  async (name) => {
    const { manager } = await createContextManagers().create(name, {
      store: createSessionStore(createMemoryBackend()),
      summarise: () => 'S',
    })
    for (const bad of [
      { contextWindow: undefined, maxTokens: 1 },
      { contextWindow: 1, maxTokens: Number.NaN },
      { contextWindow: -1, maxTokens: 1 },
      { contextWindow: '1', maxTokens: 1 },
    ]) {
      await expect(manager.assemble({ key: 'k', ...bad } as never)).rejects.toMatchObject({ name: 'InvalidInput' })
      for (const reason of ['summarise', 'proactive-budget', 'model-refused'])
        await expect(manager.shrink({ key: 'k', reason, ...bad } as never)).rejects.toMatchObject({
          name: 'InvalidInput',
        })
    }
  },
)

it.each(createContextManagers().names())(
  'a reason that is none is refused by %s, which would take it for an emergency',
  async (name) => {
    const { manager } = await createContextManagers().create(name, {
      store: createSessionStore(createMemoryBackend()),
      summarise: () => 'S',
    })
    await expect(
      manager.shrink({ key: 'k', reason: 'summarize' as never, contextWindow: 1, maxTokens: 1 }),
    ).rejects.toMatchObject({ name: 'InvalidInput' })
  },
)
