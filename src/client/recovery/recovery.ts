import type { RecoveryReport } from '../store-health.ts'
import type { WorkerConnection } from '../worker/connect-worker.ts'
import { useFrames } from '../worker/frame-worker.ts'
import { createConnectionCheck, saysYes } from './accept-connection.ts'
import { findDatabase, lookForDatabase } from './look-for-database.ts'
import type { RecoveryParts } from './recovery-parts.ts'
import { initialRecovery, moveRecovery } from './recovery-state.ts'
import { type RecoveryLink, recoveryWays } from './recovery-ways.ts'
import { reopen } from './reopen-database.ts'
import { createHeldReplay, type HeldReplay } from './replay-held-writes.ts'

/** The number of steps in the report. */
const historyLength = 20

/** Reaches a lost database again; one run for each loss. */
export interface Recovery {
  /**
   * @param reason - why the database could not be reached any more, `''` if it was replaced by another one; absent:
   *   only the worker was lost
   * @throws DataLoss when the database is not the same any more; the error of the last attempt, when no worker can be
   *   started
   */
  start(reason: string | undefined): Promise<WorkerConnection>
  report(): RecoveryReport | undefined
  readonly turn: HeldReplay['turn']
  /** Tries once more to store the held writes. */
  close(): Promise<void>
}

/**
 * Tries one way after the other: a new worker; one from a new frame (Safari); memory, where writes are held in order
 * until the database can be reached again. Dead workers are replaced the same way as before. If there is no room,
 * writes are refused instead of held. `recovery-state.ts` has the states and moves; here is what is done in them.
 *
 * @param refill - restores what the database lost from the mirror
 * @param isOutOfRoom - whether the storage is full; called only when the database can't be reached
 */
export function createRecovery(
  link: RecoveryLink,
  refill: () => Promise<void>,
  isOutOfRoom: () => Promise<boolean>,
): Recovery {
  const { name, feed } = link.attempt
  const check = createConnectionCheck(link.attempt, link.epoch, refill)
  const history: RecoveryReport['history'][number][] = []
  const memory: RecoveryParts['memory'] = {}
  let state = initialRecovery()
  const notify: RecoveryParts['notify'] = (notice, message) => feed.emit({ type: 'notice', name: notice, message })
  const parts: RecoveryParts = {
    link,
    ways: recoveryWays(link),
    state: () => state,
    send: (event) => {
      state = moveRecovery(state, event)
    },
    open: async (way) => check.accept(await way.open(), memory.held?.count() ?? 0),
    loss: check.loss,
    isOutOfRoom,
    notify,
    enter: (rung, reason) => {
      history.push({ rung, at: Date.now(), reason })
      history.splice(0, history.length - historyLength)
      if (rung === 'frame') useFrames(link.attempt)
    },
    replay: createHeldReplay(link.store, name, notify, () => memory.held === undefined),
    memory,
  }
  const looks = lookForDatabase(parts)
  return {
    start: (reason) => reopen(parts, looks, reason),
    turn: parts.replay.turn,
    report: () => {
      const last = history.at(-1)
      return (
        last && { rung: last.rung, held: (memory.held?.count() ?? 0) + parts.replay.pending(), history: [...history] }
      )
    },
    close: async () => {
      parts.send({ type: 'closed' })
      parts.replay.close()
      looks.stop()
      await storeHeld(parts)
    },
  }
}

/** Stores what is still held when the store is closed, if the database can be reached by now. */
async function storeHeld(parts: RecoveryParts): Promise<void> {
  const calls = parts.memory.held?.take() ?? []
  if (calls.length === 0) return
  const storing = (async (): Promise<boolean> => {
    const connection = await findDatabase(parts)
    const outcomes = await connection?.remote.batch(calls)
    await connection?.remote.close()
    connection?.end()
    return outcomes?.every((outcome) => 'value' in outcome) ?? false
  })()
  if (!(await saysYes(storing)))
    parts.notify(
      'dataLost',
      `Writes were held in memory because the database "${parts.link.attempt.name}" could not be reached, nor when the store was closed. Lost writes: ${calls.length}.`,
    )
}
