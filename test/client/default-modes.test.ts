import { expect, it } from 'vitest'
import { storageOfMode } from '../../src/client/opening/storage-of-mode.ts'
import type { StoreHealth } from '../../src/client/store-health.ts'
import { defaultConfig } from '../../src/dialects/aixgo/manager/default-config.ts'
import { openDirectStore } from '../../src/in-page/open-direct-store.ts'
import { inPageOpeners } from '../../src/in-page/open-in-page.ts'
import { openSessionStore } from '../../src/index.ts'

const modes = Object.keys(storageOfMode)
const tried = ({ skipped, mode }: StoreHealth) => [...skipped.map((one) => one.mode), mode]

// Node has nothing of what a browser stores in, so that only the last mode works.
it('a store tries every mode, if the app names none', async () => {
  const client = await openSessionStore({ name: 'default-modes' })
  expect(tried(await client.upkeep.health())).toEqual(modes)
  await client.close()
})

it('a store in the page tries every mode in the page', async () => {
  const client = await openDirectStore({ name: 'default-modes' })
  expect(tried(await client.upkeep.health())).toEqual(Object.keys(inPageOpeners))
  await client.close()
})

it('the manager of Aixgo’s sessions tries every mode', () => {
  expect(defaultConfig().store).toEqual(modes)
})
