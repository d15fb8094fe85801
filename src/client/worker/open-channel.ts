/**
 * A channel between the tabs of this origin; `undefined` in old browsers, which have none, and in opaque origins, which
 * refuse them.
 */
export function openChannel(name: string): BroadcastChannel | undefined {
  try {
    const channel: BroadcastChannel & { unref?: () => void } = new BroadcastChannel(name)
    // In Node an open channel would keep the process alive.
    channel.unref?.()
    return channel
  } catch {
    return undefined
  }
}
