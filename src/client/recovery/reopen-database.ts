import { isSessionError, SessionError } from '../../contract/errors.ts'
import type { FailedMessage } from '../../contract/worker-protocol.ts'
import type { WorkerConnection } from '../worker/connect-worker.ts'
import { holdWrites } from './held-writes.ts'
import type { Looks } from './look-for-database.ts'
import type { RecoveryParts } from './recovery-parts.ts'

/** Goes through the ways after a loss; when none works, writes are held. */
export async function reopen(
  parts: RecoveryParts,
  looks: Looks,
  reason: string | undefined,
): Promise<WorkerConnection> {
  const { state, send, ways, memory, enter } = parts
  if (memory.found !== undefined) return takeFound(parts, memory.found)
  send({ type: 'lost', why: reason, now: performance.now(), ways: ways.length })
  for (let now = state(); now.at === 'reopening'; now = state()) {
    const way = ways[now.way]!
    try {
      const opened = await parts.open(way)
      send({ type: 'opened', now: performance.now() })
      enter(way.rung, now.why || 'The worker died or hung.')
      return opened
    } catch (error) {
      const isFinal = isSessionError(error) && error.name !== 'StorageUnavailable'
      const loss = parts.loss()
      if (loss !== undefined) send({ type: 'wiped', error: loss })
      else if (isFinal || (now.why === undefined && !isUnreachable(error))) send({ type: 'gaveUp' })
      else send({ type: 'wayFailed', message: (error as Error).message, ways: ways.length })
      if (state().at !== 'reopening' && state().at !== 'exhausted') throw error
    }
  }
  const lost = state()
  if (lost.at === 'lost') throw lost.error
  if (lost.at === 'exhausted') hold(parts, looks, lost.why, await parts.isOutOfRoom())
  if (memory.held !== undefined) return memory.held.connection
  throw new SessionError('StorageClosed', 'The store was closed while its database was being reached again.')
}

function takeFound({ send, memory }: RecoveryParts, found: WorkerConnection): WorkerConnection {
  send({ type: 'taken' })
  memory.found = undefined
  memory.held = undefined
  return found
}

function hold(parts: RecoveryParts, looks: Looks, why: string, isFull: boolean): void {
  const { link, state, send, memory, notify, enter } = parts
  send({ type: 'roomChecked', isFull, now: performance.now() })
  const isStillFull = (): boolean => 'isFull' in state() && (state() as { readonly isFull: boolean }).isFull
  memory.held = holdWrites(why, isStillFull, looks.called)
  enter('memory', why)
  const meanwhile = isFull
    ? 'there is no room left, on the disk or in what the browser gives this origin. New messages are refused until there is'
    : 'new messages are held in memory, and stored when it is back: keep this page open'
  notify(
    'degraded',
    `The database "${link.attempt.name}" can't be reached any more: ${meanwhile}. What was stored before can't be read meanwhile. ${why}`,
  )
  looks.later()
}

/** Whether a worker started but could not open the database. */
function isUnreachable(error: unknown): boolean {
  return (
    isSessionError(error, 'StorageUnavailable') && (error.cause as FailedMessage | undefined)?.keepsession === 'failed'
  )
}
