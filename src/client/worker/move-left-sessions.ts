import type { LadderResult, OpeningAttempt } from '../opening/ladder.ts'
import { moveRows } from '../opening/move-rows.ts'
import { type LeftSessions, moveSession } from '../opening/move-session.ts'
import { createSplitStore } from './split-store.ts'

/**
 * Moves the sessions and the rows of collections that an earlier run, which had no IndexedDB, left in Web Storage into the opened store. One that
 * can't be moved stays where it is, complete, and is used there; the next start tries again. Tabs that start at the
 * same time take turns, and nothing is moved while a page uses Web Storage as its store.
 */
export async function moveLeftSessions(opened: LadderResult, { name, feed }: OpeningAttempt): Promise<LadderResult> {
  const { announceUse, openLeftSessions, whileUnused } = await import('../../in-page/left-sessions.ts')
  const moved: string[] = []
  const reasons = new Map<string, string>()

  await whileUnused(name, async () => {
    const left = await openLeftSessions(name, () => undefined)
    for (const key of await ownersFirst(left)) {
      try {
        await moveSession(left, opened.store, key)
        moved.push(key)
      } catch (error) {
        reasons.set(key, error instanceof Error ? error.message : String(error))
      }
    }
    await moveRows(left.store, opened.store).catch(({ message }: Error) =>
      feed.emit({
        type: 'notice',
        name: 'degraded',
        message: `Rows of collections that are in Web Storage could not be moved, and are hidden until the next start tries again. ${message}`,
      }),
    )
    await left.store.close()
  })

  // From here on this page may use the sessions that are left. Waits for another tab that is moving them.
  const use = new AbortController()
  feed.ending.addEventListener('abort', () => use.abort())
  await announceUse(name, use.signal)
  const left = await openLeftSessions(name, feed.emit)
  const keys = left.keys()
  const leftSessions = keys.map((key) => ({ key, reason: reasons.get(key) ?? 'Another tab is using it.' }))
  if (keys.length === 0) {
    use.abort()
    await left.store.close()
  }
  return {
    ...opened,
    ...(moved.length + keys.length === 0
      ? {}
      : { moved: { sessions: moved.filter((key) => !keys.includes(key)), left: leftSessions } }),
    ...(keys.length === 0 ? {} : { store: await createSplitStore(opened.store, left.store, keys) }),
  }
}

/**
 * Sorts the keys so that each follows those of the sessions that own its aliases, because the first session to be moved
 * keeps an alias.
 */
export async function ownersFirst({ store, keys }: Pick<LeftSessions, 'store' | 'keys'>): Promise<readonly string[]> {
  const all = new Set(keys())
  const sorted = new Set<string>()
  const met = new Set<string>()
  const visit = async (key: string): Promise<void> => {
    if (!all.has(key) || met.has(key)) return
    met.add(key)
    // A session that can't be read has no known aliases.
    const meta = await store.getMeta(key).catch(() => undefined)
    for (const alias of meta?.aliases ?? []) await visit(await store.resolveSessionKey(alias))
    sorted.add(key)
  }
  for (const key of all) await visit(key)
  return [...sorted]
}
