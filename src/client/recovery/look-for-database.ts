import type { WorkerConnection } from '../worker/connect-worker.ts'
import type { RecoveryParts } from './recovery-parts.ts'
import type { RecoveryEvent } from './recovery-state.ts'

/** Attempts to reach the database while writes are held. */
export interface Looks {
  /** Makes one after the pause. */
  later(): void
  /** Somebody waits for the database. */
  called(): void
  stop(): void
}

export function lookForDatabase(parts: RecoveryParts): Looks {
  const { link, state, send, memory } = parts
  const { document } = globalThis as { readonly document?: Document }
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Begins an attempt if the event leads to one. */
  function look(event: RecoveryEvent): void {
    const before = state().at
    send(event)
    if (before !== 'looking' && state().at === 'looking') void attempt()
  }
  async function attempt(): Promise<void> {
    const found = await findDatabase(parts)
    const now = state()
    // A full disk is not tested again: an opening that succeeds shows that there is room.
    if (found === undefined && now.at === 'looking')
      send({ type: 'notFound', isFull: now.isFull || (await parts.isOutOfRoom()), now: performance.now() })
    const then = state()
    if (then.at === 'lost') link.lose(memory.held!.connection, then.error.message)
    else if (then.at === 'memory') later()
    // In a separate task, after all pending calls to the memory were answered.
    else if (found !== undefined) setTimeout(() => goBack(parts, found))
  }
  function later(): void {
    clearTimeout(timer)
    const { at, pauseMs } = state()
    if (at === 'memory') timer = setTimeout(() => look({ type: 'lookDue' }), pauseMs)
  }
  const onShown = (): void => {
    if (document?.visibilityState === 'visible') look({ type: 'lookDue' })
  }
  document?.addEventListener('visibilitychange', onShown)
  return {
    later,
    called: () => look({ type: 'called', now: performance.now() }),
    stop: () => {
      clearTimeout(timer)
      document?.removeEventListener('visibilitychange', onShown)
    },
  }
}

/** The first of the ways that works now. */
export async function findDatabase({
  ways,
  open,
  loss,
  send,
  enter,
}: RecoveryParts): Promise<WorkerConnection | undefined> {
  for (const [i, way] of ways.entries()) {
    try {
      const connection = await open(way)
      send({ type: 'opened', now: performance.now(), way: i })
      enter(way.rung, 'The database can be reached again.')
      return connection
    } catch {
      // Otherwise the held writes wait for the next attempt.
      const error = loss()
      if (error === undefined) continue
      send({ type: 'wiped', error })
      return undefined
    }
  }
  return undefined
}

/** Makes the store connect to the database that was found, and stores what was held. */
function goBack({ link, state, memory, replay }: RecoveryParts, found: WorkerConnection): void {
  if (memory.held === undefined || state().at !== 'returning') return found.end()
  memory.found = found
  const { connection } = memory.held
  // They are queued before any other call, and are sent as soon as the database is connected.
  replay.replay(memory.held.take())
  link.lose(connection, 'The database can be reached again.')
  link.connect().catch(() => undefined)
}
