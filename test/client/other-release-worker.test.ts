import { afterEach, expect, it } from 'vitest'
import type { StoreChange } from '../../src/contract/change.ts'
import { announceChanges } from '../../worker/announce-changes.ts'

const name = 'releases in one profile'
const endings: (() => void)[] = []
afterEach(() => {
  for (const end of endings.splice(0)) end()
})

/** A tab's worker: what its store hears of other tabs, and what its page is told. */
function openTab() {
  const [heard, told]: [StoreChange[], StoreChange[]] = [[], []]
  const announcer = announceChanges(name, {
    postMessage: (message: { readonly changes: readonly StoreChange[] }) => void told.push(...message.changes),
  })
  announcer.follow!((change) => void heard.push(change))
  endings.push(announcer.close)
  return { heard, told, announcer }
}

/** What tabs of this and other releases say to each other. */
function openChannel(): BroadcastChannel {
  const channel = new BroadcastChannel(`keepsession:${name}`)
  endings.push(() => channel.close())
  return channel
}

const change: StoreChange = { type: 'session', key: 'k', session: 1, version: 1, rows: [], reload: false }
const notice = (given: 'upgradeRequired' | 'upgrading'): StoreChange => ({ type: 'notice', name: given, message: 'm' })

it('passes over what a tab of another release says and it does not know', async () => {
  const { heard, told } = openTab()
  const channel = openChannel()
  for (const message of [
    null,
    'text',
    5,
    [],
    {},
    { type: 'later', key: 'k' },
    { type: 'session', key: 'k' },
    { type: 'draft', key: 'k' },
    { type: 'notice' },
  ])
    channel.postMessage(message)
  channel.postMessage(change)
  await expect.poll(() => told).toEqual([change])
  expect(heard).toEqual([change])
})

it('keeps to its own page that it is old, and believes it of no other tab', async () => {
  const old = openTab()
  const tab = openTab()
  const channel = openChannel()
  old.announcer.add(notice('upgradeRequired'))
  channel.postMessage(notice('upgradeRequired'))
  old.announcer.add(notice('upgrading'))
  await expect.poll(() => tab.told).toEqual([notice('upgrading')])
  expect([tab.heard, old.told]).toEqual([[notice('upgrading')], [notice('upgradeRequired'), notice('upgrading')]])
})
