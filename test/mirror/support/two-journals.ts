import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import type { JournalDevice, JournalTab } from './journal-device.ts'
import { say } from './talk.ts'

/** Long enough that nothing is folded unless something asks for it. */
export const never = (): number => 1_000_000

/** The first writes go through the database, which must know the journal first. */
export async function warm(store: SessionStore, key = 'a'): Promise<void> {
  await say(store, key, 'first')
  await say(store, key, 'second')
}

/** Opens two tabs that may both answer early. */
export async function openTwo(device: JournalDevice): Promise<readonly [JournalTab, JournalTab]> {
  const tabs = [await device.open(), await device.open()] as const
  for (const { store } of tabs) {
    await warm(store)
    await device.settled()
  }
  for (const { store } of tabs) await store.flush()
  await device.settled()
  return tabs
}
