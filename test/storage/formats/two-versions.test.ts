import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { StorageBackend } from '../../../src/contract/backend.ts'
import type { NoticeChange } from '../../../src/contract/change.ts'
import { openCoreBackend } from '../../../src/storage/indexeddb/core-backend.ts'
import { type Format, formats } from '../../../src/storage/indexeddb/formats.ts'
import { nativeOpener } from '../../../src/storage/indexeddb/open-natively.ts'
import { dexieOpener } from '../../../src/storage/indexeddb/open-with-dexie.ts'
import { batchOf, entriesAt, inLane, numbersIn, planSession } from '../backend-fixtures.ts'

const name = 'two versions'
const patient = { timeout: 20_000, interval: 10 }
const newer: readonly Format[] = [...formats, { stores: { later: '' } }]
let indexedDB: IDBFactory

beforeEach(() => {
  indexedDB = new IDBFactory()
})

/** A tab with the code of some release. */
async function openTab(opener: ReturnType<typeof nativeOpener>, blockedAfterMs = 1000) {
  const notices: NoticeChange['name'][] = []
  const opening = openCoreBackend(
    opener,
    { name, indexedDB, IDBKeyRange, blockedAfterMs, onNotice: (notice) => void notices.push(notice.name) },
    () => ({}),
  )
  opening.catch(() => undefined)
  return { notices, opening: opening as unknown as Promise<StorageBackend> }
}

/** A connection of older code that doesn't make way. */
async function holdOpen(): Promise<IDBDatabase> {
  const request = indexedDB.open(name)
  await new Promise((resolve) => (request.onsuccess = resolve))
  return request.result
}

describe.each([
  ['with Dexie', dexieOpener],
  ['natively', nativeOpener],
] as const)('a newer release, opened %s,', (_, openerOf) => {
  it('makes the older one settle what is under way, tell its user and write no more', async () => {
    const old = await openTab(openerOf(formats))
    const backend = await old.opening
    const a = planSession('a', 1)
    await a.write(backend)
    const underWay = backend.commit(batchOf(a.plan({ append: inLane(0, entriesAt(0, 9)) })), 'strict')
    const late = await openTab(openerOf(newer))
    const upgraded = await late.opening
    await expect(underWay).resolves.toEqual({ stored: true })
    expect(old.notices).toEqual(['upgradeRequired'])
    await expect(backend.commit(batchOf(a.plan()), 'strict')).rejects.toMatchObject({ name: 'VersionConflict' })
    await expect(backend.listSessions()).rejects.toMatchObject({ name: 'VersionConflict' })
    expect([await numbersIn(upgraded, 1), late.notices]).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], ['upgrading']])
  })

  it('says at once that an older tab is in the way, and goes on by itself when that is closed', async () => {
    await (await (await openTab(openerOf(formats))).opening).close()
    const held = await holdOpen()
    const tab = await openTab(openerOf(newer), 600_000)
    await vi.waitFor(() => expect(tab.notices).toEqual(['upgradeBlocked']), patient)
    held.close()
    await (await tab.opening).close()
    expect(tab.notices).toEqual(['upgradeBlocked', 'upgrading'])
  })

  it('tells a third tab too, of which the browser says nothing, and opens there as well', async () => {
    await (await (await openTab(openerOf(formats))).opening).close()
    const held = await holdOpen()
    const second = await openTab(openerOf(newer), 600_000)
    // Asks for long enough to open on a busy machine: it gives up after ten times this.
    const third = await openTab(openerOf(newer), 1_000)
    await vi.waitFor(() => expect(third.notices).toEqual(['upgradeBlocked']), patient)
    held.close()
    for (const { opening } of [second, third]) await (await opening).close()
  })

  it('is refused to a third tab of the older release that waits for it', async () => {
    await (await (await openTab(openerOf(formats))).opening).close()
    const held = await holdOpen()
    const second = await openTab(openerOf(newer), 600_000)
    const third = await openTab(openerOf(formats), 600_000)
    held.close()
    await (await second.opening).close()
    await expect(third.opening).rejects.toMatchObject({ name: 'VersionConflict' })
  })

  it('gives up with an error when nobody closes the older tab', async () => {
    await (await (await openTab(openerOf(formats))).opening).close()
    const held = await holdOpen()
    const tab = await openTab(openerOf(newer), 5)
    await expect(tab.opening).rejects.toMatchObject({ name: 'UpgradeBlocked' })
    expect(tab.notices).toEqual(['upgradeBlocked'])
    held.close()
    // What came open after all was closed again, and is no obstacle.
    await (await (await openTab(openerOf(newer))).opening).close()
  })
})
