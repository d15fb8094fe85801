import type { SpaceReport } from '../../contract/change.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { ChangeFeed } from '../session/change-feed.ts'

/** Shares of the quota that are told of when they are passed, each once. */
const levels = [0.8, 0.95]
/** How far below a level the use must fall before passing it is news again. */
const slack = 0.02
/** The browser is not asked more often than this, and only once something was stored. */
const restMs = 30_000

export interface SpaceWatch {
  readonly store: Pick<SessionStore, 'usage'>
  readonly feed: Pick<ChangeFeed, 'subscribe' | 'emit'>
  /** The browser's figures; `undefined` where it gives none. */
  readonly estimate?: () => Promise<StorageEstimate | undefined>
  readonly now?: () => number
}

/**
 * Tells by the notice `spaceLow` when the origin's storage fills up, with what would make room. Looks now and while
 * things are stored. What the disk has left no browser tells: a write may find no room before.
 */
export function watchSpace({ store, feed, estimate = askBrowser, now = Date.now }: SpaceWatch): Promise<void> {
  let reached = 0
  let lookedAt = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    lookedAt = now()
    const { usage = 0, quota = 0 } = (await estimate().catch(() => undefined)) ?? {}
    if (quota === 0) return
    const share = usage / quota
    const passed = levels.filter((level) => share >= level).length
    while (reached > passed && share < levels[reached - 1]! - slack) reached--
    if (passed <= reached) return
    reached = passed
    const reclaimable = await store.usage().then(
      (report) => report.reclaimable,
      () => undefined,
    )
    const space: SpaceReport = {
      originBytes: usage,
      quotaBytes: quota,
      ...(reclaimable === undefined ? {} : { reclaimable }),
    }
    feed.emit({
      type: 'notice',
      name: 'spaceLow',
      space,
      message: `${Math.floor(share * 100)} % of the storage that the browser gives this origin is used. Purge, or export and purge, what is no longer needed; \`usage()\` lists the largest sessions.`,
    })
  }

  feed.subscribe((change) => {
    if (change.type !== 'notice' && now() - lookedAt >= restMs) void look()
  })
  return look()
}

async function askBrowser(): Promise<StorageEstimate | undefined> {
  return ((globalThis.navigator as Navigator | undefined)?.storage as Partial<StorageManager> | undefined)?.estimate?.()
}
