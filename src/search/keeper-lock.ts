/** The Web Lock that makes one tab the keeper of an index. */
export interface KeeperLock {
  isKeeper(): boolean
  /** Resolves when it is known whether this tab or another one is the keeper. */
  readonly settling: Promise<void>
  /** Leaves the index to another tab, for good. */
  resign(): void
  /** Gives the lock back, if this tab holds it. */
  release(): void
}

/**
 * Waits for the lock, and holds it until the end.
 *
 * @param locks - absent: there is no keeper
 * @param signal - ends the waiting
 * @param onKeep - prepares this tab to be the keeper
 */
export function holdKeeperLock(
  name: string,
  locks: LockManager | undefined,
  signal: AbortSignal,
  onKeep: () => Promise<void>,
): KeeperLock {
  let isKeeper = false
  let release: () => void = () => undefined
  let settle: () => void = () => undefined
  const settling = new Promise<void>((resolve) => (settle = resolve))

  const keep = async (lock: Lock | null): Promise<boolean> => {
    if (lock === null || signal.aborted) return false
    const released = new Promise<void>((resolve) => (release = resolve))
    isKeeper = true
    await onKeep()
    settle()
    await released
    return true
  }
  const request = async (): Promise<void> => {
    if (locks === undefined || (await locks.request(name, { ifAvailable: true }, keep))) return
    settle()
    await locks.request(name, { signal }, keep)
  }
  // A request is refused in opaque origins, and rejects when the signal ends it.
  request()
    .catch(() => undefined)
    .finally(settle)

  return {
    isKeeper: () => isKeeper,
    settling,
    resign: () => {
      isKeeper = false
      release()
    },
    release: () => release(),
  }
}
