import { expect, it } from 'vitest'
import { openSessionStore } from '../../src/index.ts'
import { sessionStoreConformance } from '../../src/testing/session-store-conformance.ts'
import type { StoreUnderTest } from '../../src/testing/store-under-test.ts'
import { abandonedDrafts, forget, openIn } from './support/browser-stores.ts'
import { damageFirstInWebStorage } from './support/damage-first-record.ts'

const suts: readonly StoreUnderTest[] = [
  {
    name: 'localStorage',
    durable: true,
    open: async () => {
      const opened = await openIn('web-storage')
      return { ...opened, damage: (key) => damageFirstInWebStorage(localStorage, `keepsession:${opened.name}`, key) }
    },
    deviations: { abandonedDrafts, putBlob: 'one picture would fill the place that all sessions share' },
  },
  {
    name: 'memory',
    durable: 'memory is gone when the store is closed',
    open: async () => {
      const { store, dispose } = await openIn('memory')
      return { store, dispose: dispose! }
    },
  },
]

it.each(['worker', 'in-page', 'web-storage', 'memory'] as const)(
  'opens in mode %s, not in one further down',
  async (mode) => {
    const name = `conformance-${crypto.randomUUID()}`
    const client = await openSessionStore({ name, modes: [mode] })
    expect(await client.upkeep.health()).toMatchObject({ mode, skipped: [] })
    await client.close()
    await forget(name)
  },
)

for (const sut of suts) sessionStoreConformance(sut)
