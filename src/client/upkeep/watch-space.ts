import type { SpaceReport } from '../../contract/change.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { ChangeFeed } from '../session/change-feed.ts'

/** Shares of the quota that are announced when they are exceeded, each once. */
const levels = [0.8, 0.95]
/** How far below a level the usage must fall before exceeding it is announced again. */
const slack = 0.02
/** The least time between two questions to the browser, which are only asked after something was stored. */
const restMs = 30_000

export interface SpaceWatch {
  readonly store: Pick<SessionStore, 'usage'>
  readonly feed: Pick<ChangeFeed, 'subscribe' | 'emit'>
  /** The browser's figures; `undefined` if it gives none. */
  readonly estimate?: () => Promise<StorageEstimate | undefined>
  readonly now?: () => number
}

/**
 * Announces by the notice `spaceLow` that the origin's storage fills up, and what could be deleted. Checks at the start
 * and while data is being stored. No browser reports the free space on the disk, so a write may find no room before.
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
