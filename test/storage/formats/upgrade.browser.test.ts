import { afterEach, describe, expect, it } from 'vitest'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import type { NoticeChange } from '../../../src/contract/change.ts'
import { deleteSessionStore, openSessionStore } from '../../../src/index.ts'
import { restoreDatabase } from './database-dump.ts'
import { fixtures } from './fixtures.ts'
import { readStore } from './read-store.ts'

const stores: SessionClient[] = []
const names: string[] = []
const newName = (): string => {
  names.push(`format ${names.length} ${Date.now()}`)
  return names.at(-1)!
}

/** Opens as an app does; the mirror stays out of it. */
async function openApp(
  name: string,
  mode: 'worker' | 'in-page',
  notices: string[] = [],
  timeoutMs = 20_000,
): Promise<SessionClient> {
  const client = await openSessionStore({
    name,
    modes: [mode],
    mirror: false,
    timeoutMs,
    onChange: (change) => void (change.type === 'notice' && notices.push((change as NoticeChange).name)),
  })
  stores.push(client)
  return client
}

afterEach(async () => {
  for (const client of stores.splice(0)) await client.close()
  for (const name of names.splice(0)) await deleteSessionStore(name)
})

describe.each(fixtures)('a database of format $format in a browser', ({ database, readings }) => {
  it.each(['worker', 'in-page'] as const)('has everything it had, opened in the mode %s', async (mode) => {
    const name = newName()
    await restoreDatabase(indexedDB, name, database)
    const client = await openApp(name, mode)
    expect(await readStore(client.store)).toEqual(readings)
  })

  it('waits for an older tab for longer than an opening may take, says so, and opens when that is closed', async () => {
    const name = newName()
    await restoreDatabase(indexedDB, name, database)
    const request = indexedDB.open(name)
    await new Promise((resolve) => (request.onsuccess = resolve))
    const notices: string[] = []
    const opening = openApp(name, 'worker', notices, 3000)
    await expect.poll(() => notices).toContain('upgradeBlocked')
    // Past the time at which a worker that says nothing is given up.
    await new Promise((resolve) => setTimeout(resolve, 4000))
    request.result.close()
    const client = await opening
    expect((await client.listSessions()).total).toBeGreaterThan(0)
    expect(notices).toContain('upgrading')
  })
})
