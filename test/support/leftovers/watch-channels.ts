import type { Leftovers } from './watch-globals.ts'

/** Dexie opens one when it is loaded, and says there what was written, in every realm, for good. */
const isOfDexie = (name: string): boolean => name === 'x-storagemutated-1'

/**
 * Watches over the broadcast channels of a realm: those that are still open. In Node one that was let go of by `unref`
 * is as good as closed: tabs and workers that a test kills take theirs along in a browser only.
 */
export function watchChannels(): Leftovers {
  const open = new Set<BroadcastChannel>()
  const Real = globalThis.BroadcastChannel
  const { unref } = Real.prototype as { unref?: () => void }
  class Watched extends Real {
    constructor(name: string) {
      super(name)
      if (!isOfDexie(name)) open.add(this)
    }

    override close(): void {
      open.delete(this)
      super.close()
    }
  }
  if (unref !== undefined) {
    Object.assign(Watched.prototype, {
      unref(this: BroadcastChannel) {
        open.delete(this)
        unref.call(this)
      },
    })
  }
  globalThis.BroadcastChannel = Watched
  return () => [...open].map(({ name }) => `an open BroadcastChannel "${name}"`)
}
