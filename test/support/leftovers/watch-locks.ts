import { madeLocks } from '../locks.ts'

/**
 * Says which Web Locks are held or asked for: the realm's own, and those that tests made for Node, which has none.
 *
 * @param isOurs - whether a name is one that this realm may hold: pages share theirs with what else is open
 */
export async function locksLeft(known: ReadonlySet<string>): Promise<string[]> {
  const managers = [...(globalThis.navigator?.locks === undefined ? [] : [globalThis.navigator.locks]), ...madeLocks]
  const states = await Promise.all(managers.map((manager) => manager.query()))
  return states.flatMap(({ held = [], pending = [] }) => [
    ...held.filter((lock) => !known.has(nameOf(lock))).map((lock) => `the Web Lock "${lock.name}", held`),
    ...pending.filter((lock) => !known.has(nameOf(lock))).map((lock) => `the Web Lock "${lock.name}", asked for`),
  ])
}

/** What other realms of the origin have when a file begins. */
export async function locksOfOthers(): Promise<ReadonlySet<string>> {
  const { held = [], pending = [] } = (await globalThis.navigator?.locks?.query()) ?? {}
  return new Set([...held, ...pending].map(nameOf))
}

const nameOf = ({ name, clientId }: LockInfo): string => JSON.stringify([name, clientId])
