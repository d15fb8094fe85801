import type { SessionClient } from './types.ts'

const readers = new WeakMap<SessionClient, () => void>()

/** Notes how a client's store is told that it may not have heard of everything yet. */
export function whenMissed(client: SessionClient, readAnew: (() => void) | undefined): SessionClient {
  if (readAnew !== undefined) readers.set(client, readAnew)
  return client
}

/**
 * Has the next reads of a client look at what is stored. News from another worker comes over a channel of its own, and may come after an answer that speaks
 * of it.
 */
export function readAnew(client: SessionClient): void {
  readers.get(client)?.()
}
