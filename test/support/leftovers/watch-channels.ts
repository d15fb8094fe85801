import type { Leftovers } from './watch-globals.ts'

/** Watches over the broadcast channels of a realm: those that are still open. */
export function watchChannels(): Leftovers {
  const open = new Set<BroadcastChannel>()
  globalThis.BroadcastChannel = class extends BroadcastChannel {
    constructor(name: string) {
      super(name)
      open.add(this)
    }

    override close(): void {
      open.delete(this)
      super.close()
    }
  }
  return () => [...open].map(({ name }) => `an open BroadcastChannel "${name}"`)
}
