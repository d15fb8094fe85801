import { expect, vi } from 'vitest'
import type { VersionVector } from '../../../src/contract/entry.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { type Account, type Shown, textsIn } from './account.ts'

/**
 * How long devices may take to come to the same by themselves, in milliseconds, on a machine that has other things to
 * do.
 */
const longest = 40_000
/**
 * Looks in a row at devices that all say that they are done, and of which nothing comes: all share one event loop, so
 * that whatever was due has run between them.
 */
const mostIdle = 200

/** What a device has of a session, but for what it keeps alone. */
type Sessions = Readonly<
  Record<string, { readonly title: string; readonly isDeleted: boolean; readonly texts: readonly string[] }>
>

/**
 * Waits until nothing changes any more, and holds all devices against each other and against what was done. @throws the
 * law that is broken
 */
export async function checkAccount(account: Account, patience = longest): Promise<void> {
  const stores = account.devices.map(({ device }) => device.store)
  await untilEqual(account, stores, patience).catch(async (error: unknown) => {
    const states = account.devices.map(({ sync }) =>
      JSON.stringify([
        sync!.status().state,
        sync!.status().message,
        sync!.status().pending,
        sync!.states(),
        sync!.status().report,
      ]),
    )
    const before = account.hub.traffic()
    await new Promise((resolve) => setTimeout(resolve, 1000))
    states.push(`${account.hub.traffic() - before} bytes in the second after that`)
    // Tells a device that is stuck from a machine that stood still.
    const later = untilEqual(account, stores, patience)
    states.push(
      await later.then(
        () => 'all was the same later',
        () => `nor ${patience} ms later`,
      ),
    )
    throw new Error([(error as Error).message, ...states].join('\n'), { cause: error })
  })
  const all = await Promise.all(stores.map(shownIn))
  const shown = all[0]!
  const logs = (await Promise.all(stores.map(logsOf))).flat()
  const purged = new Set(account.purges.flatMap(({ texts }) => [...texts]))
  const visible = new Map(
    Object.entries(shown).flatMap(([key, { isDeleted, texts }]) =>
      isDeleted ? [] : texts.map((text) => [text, key] as const),
    ),
  )

  for (const said of account.shown) {
    const { text, key } = said
    if (visible.has(text) || account.cleared.has(sourceOf(key))) continue
    const found = logs.filter(({ texts }) => texts.has(text))
    if (!purged.has(text) && found.length === 0)
      throw new Error(`"${text}" of ${key} is lost: nobody who purged knew it`)
    if (mustBeShown(account, said))
      throw new Error(`"${text}" of ${key} is hidden: it was said, or brought back, by who knew of all purges`)
    const isKept = found.some(
      ({ kept, vector }) => kept && account.purges.some((purge) => haveCommon(purge.vector, vector)),
    )
    if (!purged.has(text) && !isKept)
      // The moments are not the seed's: what is here now is all that there will be to find the cause with.
      throw new Error(
        `"${text}" of ${key} is hidden, and nobody keeps it because something of its session was purged\nfound: ${JSON.stringify(found.map(({ kept, vector }) => ({ kept, vector })))}\npurges: ${JSON.stringify(account.purges.map(({ key: of, at, vector }) => ({ of, at, vector })))}\nsaid: ${JSON.stringify({ at: said.at, vector: said.vector })}`,
      )
  }
  for (const text of purged) {
    const key = visible.get(text)
    // Where the key has been begun anew meanwhile, what was brought back under it goes on under a key of its own.
    if (key !== undefined && !account.revived.has(key) && !account.revived.has(sourceOf(key)))
      throw new Error(`"${text}" of ${key} was purged, and is shown: nobody brought it back`)
  }
}

/** @throws what differs, as soon as nothing is under way any more that could change it */
async function untilEqual(account: Account, stores: readonly SessionStore[], patience: number): Promise<void> {
  let [idle, traffic] = [0, -1]
  const difference = await vi.waitFor(
    async () => {
      try {
        await expectEqual(account, stores)
        return undefined
      } catch (error) {
        const isIdle =
          account.hub.traffic() === traffic && account.devices.every(({ sync }) => sync!.status().state === 'synced')
        idle = isIdle ? idle + 1 : 0
        traffic = account.hub.traffic()
        if (idle >= mostIdle) return error as Error
        throw error
      }
    },
    { timeout: patience, interval: 10 },
  )
  if (difference !== undefined) throw difference
}

async function expectEqual({ devices }: Account, stores: readonly SessionStore[]): Promise<void> {
  const all = await Promise.all(stores.map(shownIn))
  for (const other of all.slice(1)) expect(other).toEqual(all[0])
  for (const { sync } of devices) expect(sync!.status()).toMatchObject({ state: 'synced', pending: 0 })
  for (const store of stores) expect(await store.listPurges()).toEqual([])
}

async function shownIn(store: SessionStore): Promise<Sessions> {
  const lists = await Promise.all([false, true].map((deleted) => store.listSessions({ deleted })))
  const sessions = lists.flatMap((list) => list.sessions).filter(({ kept }) => kept !== true)
  const found = await Promise.all(
    sessions.map(
      async ({ key, title, deletedAt }) =>
        [
          key,
          {
            title,
            isDeleted: deletedAt !== undefined,
            texts: (await store.getHistory(key)).map(({ content }) => content as string),
          },
        ] as const,
    ),
  )
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)))
}

interface Log {
  readonly texts: ReadonlySet<string>
  readonly kept: boolean
  readonly vector: VersionVector
}

/** All logs of a device, deleted ones and those it keeps alone, too. */
async function logsOf(store: SessionStore): Promise<readonly Log[]> {
  const lists = await Promise.all([false, true].map((deleted) => store.listSessions({ deleted })))
  return Promise.all(
    lists.flatMap(({ sessions }) =>
      sessions.map(async ({ key, kept }) => ({
        kept: kept === true,
        texts: new Set(await textsIn(store, key)),
        vector: (await store.getVector(key, { isKey: true })) ?? {},
      })),
    ),
  )
}

/**
 * Whether no purge was about it: each was done before, by who said it, and erased nothing that its session had then. Or
 * it was brought back, after the only purge that there was, which whoever did so knew.
 */
function mustBeShown({ purges, revivals }: Account, said: Shown): boolean {
  const ofKey = purges.filter(({ key }) => sourceOf(key) === sourceOf(said.key))
  if (revivals.has(said)) return ofKey.length === 1 && ofKey[0]!.at < said.at
  return ofKey.every(({ by, at, vector }) => by === said.by && at < said.at && !haveCommon(vector, said.vector))
}

const haveCommon = (a: VersionVector, b: VersionVector): boolean =>
  Object.keys(a).some((writer) => b[writer] !== undefined)

/** The key of the session that what is kept apart comes from. */
const sourceOf = (key: string): string => key.split('~')[0]!
