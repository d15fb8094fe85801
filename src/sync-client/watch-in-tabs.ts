import type { SyncChannel } from './sync-channel.ts'
import type { TabState } from './tab-state.ts'
import { createWatchedKeys, type WatchedKeys } from './watched-keys.ts'

/** How often the tab that leads asks the others what they look at, in milliseconds. */
const rollMs = 30_000

/** The sessions that the tabs of a device look at: they stay connected. */
export interface TabWatches {
  /** This tab looks at a session. Returns a function that ends this. */
  watch(key: string): () => void
  /** Announces what this tab looks at, unless it leads. */
  announce(): void
  /** Another tab has reported what it looks at. */
  setTab(tab: string, keys: readonly string[]): void
  /** Whether this tab looks at anything. */
  isWatching(): boolean
  /** This tab leads from now on: the others have to report again what they look at. */
  lead(): void
  close(): void
}

/** @param tab - names this tab */
export function watchInTabs(tab: string, channel: SyncChannel, state: TabState): TabWatches {
  const tell = (watched: WatchedKeys): void => {
    if (state.engine === undefined) channel.post({ sync: 'watching', tab, keys: watched.own() })
  }
  const watched = createWatchedKeys(() => {
    state.engine?.watch(watched.all())
    tell(watched)
  })
  const rolling: ReturnType<typeof setInterval> & { unref?: () => void } = setInterval(() => {
    if (state.engine === undefined || !watched.callRoll()) return
    state.engine.watch(watched.all())
    channel.post({ sync: 'roll' })
  }, rollMs)
  // In Node it would keep the process alive.
  rolling.unref?.()

  return {
    watch: watched.watch,
    announce: () => tell(watched),
    setTab: (other, keys) => {
      watched.setTabKeys(other, keys)
      state.engine?.watch(watched.all())
    },
    isWatching: () => watched.own().length > 0,
    lead: () => {
      watched.forgetOthers()
      state.engine?.watch(watched.all())
      channel.post({ sync: 'roll' })
    },
    close: () => clearInterval(rolling),
  }
}
