/** A page that has a store open. */
export interface StoreTab {
  /** What the browser calls it. Frames have one of their own. */
  readonly client: string
  readonly isThis: boolean
  /** Handles of the store that are open in it. */
  readonly stores: number
  readonly isLeader: boolean
  /** Whether it waits to lead. */
  readonly isCandidate: boolean
  /** Keys of the sessions that are open in it. */
  readonly sessions: readonly string[]
}

/**
 * The pages that have a store open, from the Web Locks they hold: asking a client would make this page a candidate.
 * `undefined` where there are no locks.
 */
export async function listTabs(name: string): Promise<readonly StoreTab[] | undefined> {
  const locks = (globalThis.navigator as Navigator | undefined)?.locks
  if (locks === undefined) return undefined
  const { held, pending, own } = await queryWithOwn(locks)
  // As `namesOf` of the domain has it. Importing that would make a chunk of it, which each page would load by itself.
  const prefix = `keepsession:${name.replace(/[%:]/g, encodeURIComponent)}:`
  const tabs = new Map<string, { stores: number; isLeader: boolean; isCandidate: boolean; sessions: string[] }>()
  const tabOf = (client: string) => {
    const tab = tabs.get(client) ?? { stores: 0, isLeader: false, isCandidate: false, sessions: [] }
    tabs.set(client, tab)
    return tab
  }
  for (const { name: lock = '', clientId = '' } of held) {
    if (!lock.startsWith(prefix)) continue
    const rest = lock.slice(prefix.length)
    if (rest.startsWith('page:')) tabOf(clientId).stores++
    else if (isLeaderLock(rest)) tabOf(clientId).isLeader = true
    else if (rest.startsWith('in-use:')) tabOf(clientId).sessions.push(rest.slice('in-use:'.length))
  }
  for (const { name: lock = '', clientId = '' } of pending)
    if (lock.startsWith(prefix) && isLeaderLock(lock.slice(prefix.length))) tabOf(clientId).isCandidate = true
  return [...tabs]
    .map(([client, tab]) => ({ client, isThis: client === own, ...tab }))
    .sort((a, b) => Number(b.isThis) - Number(a.isThis) || (a.client < b.client ? -1 : 1))
}

const isLeaderLock = (name: string): boolean => name === 'leader' || name.startsWith('leader:')

/** Only a lock of its own tells a page what the browser calls it. */
function queryWithOwn(locks: LockManager) {
  const name = `keepsession-inspector:${crypto.randomUUID()}`
  return locks.request(name, async () => {
    const { held = [], pending = [] } = await locks.query()
    return { held, pending, own: held.find((lock) => lock.name === name)?.clientId }
  })
}
