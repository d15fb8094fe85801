import type { WriteBatch } from '../../contract/write-batch.ts'
import { readHot } from './load-session.ts'
import type { AliasRow } from './schema.ts'
import type { Steps, WriteSteps } from './transaction.ts'
import { unlessLost } from './unless-lost.ts'

/**
 * Drops and adds aliases. An alias that the batch drops, or that belongs to a session it erases, is free for its other
 * sessions. `taken` is called with the key of a session that wants an alias of another session.
 */
export function writeAliases(steps: WriteSteps, batch: WriteBatch, taken: (key: string) => void): void {
  let waiting = 1
  const add = (): void => {
    waiting--
    if (waiting > 0) return
    const claimed = new Map<string, string>()
    for (const { hot, aliases } of batch.sessions) {
      for (const alias of aliases.add) {
        // The first session of a batch that claims an alias gets it.
        if (!claimed.has(alias)) claimed.set(alias, hot.key)
        if (claimed.get(alias) === hot.key) addAlias(steps, alias, hot.key, taken)
        else taken(hot.key)
      }
    }
  }
  for (const { hot, aliases } of batch.sessions) {
    for (const alias of aliases.drop) {
      waiting++
      readOwner(steps, alias, (owner) => {
        if (owner === hot.key) steps.store('aliases').delete(alias)
        add()
      })
    }
  }
  for (const { key, session } of batch.erase) {
    waiting++
    readHot(steps, key, (stored) => {
      // Another session that was begun anew under the key keeps its aliases.
      if (stored !== undefined && stored.session !== session) return add()
      steps.read(steps.store('aliases').index('key').getAllKeys(key), (owned) => {
        for (const alias of owned) steps.store('aliases').delete(alias)
        add()
      })
    })
  }
  add()
}

function addAlias(steps: WriteSteps, alias: string, key: string, taken: (key: string) => void): void {
  readOwner(steps, alias, (owner) => {
    if (owner === undefined) steps.store('aliases').put({ alias, key } satisfies AliasRow)
    else if (owner !== key) taken(key)
  })
}

/**
 * The key of the session that owns an alias. An alias with an unreadable row is free, or nobody could ever have it
 * again.
 */
export function readOwner(steps: Steps, alias: string, use: (owner: string | undefined) => void): void {
  const take = (row: Partial<AliasRow> | undefined): void => use(typeof row?.key === 'string' ? row.key : undefined)
  steps.attempt<Partial<AliasRow> | undefined>(
    steps.store('aliases').get(alias),
    take,
    unlessLost(() => use(undefined)),
  )
}
