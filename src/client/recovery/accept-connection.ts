import type { LostData } from '../../contract/change.ts'
import { SessionError } from '../../contract/errors.ts'
import type { OpeningAttempt } from '../opening/ladder.ts'
import type { WorkerConnection } from '../worker/connect-worker.ts'
import { inTime } from '../worker/in-time.ts'
import { describeLoss, lastKnown, noteEpoch } from '../worker/loss-marker.ts'

/** How long a worker may take to answer before it is watched. */
const answerMs = 2000

/** Accepts a connection unless it is to another database, which would be empty without anybody noticing. */
export interface ConnectionCheck {
  /** @param held - how many writes are held in memory @throws DataLoss, which was announced */
  accept(started: WorkerConnection, held: number): Promise<WorkerConnection>
  /** The loss that was announced. */
  loss(): SessionError | undefined
}

/**
 * @param firstEpoch - of the database that was opened first
 * @param refill - restores what the database lost from the mirror
 */
export function createConnectionCheck(
  attempt: OpeningAttempt,
  firstEpoch: string | undefined,
  refill: () => Promise<void>,
): ConnectionCheck {
  const { name, feed } = attempt
  let epoch = firstEpoch
  let announced: SessionError | undefined

  /** Announces that the data is gone. */
  function lossOf(held: number): SessionError {
    const inMemory = held === 0 ? '' : ` Writes that were held in memory are lost with it: ${held}.`
    const known: Partial<LostData> = lastKnown(name) ?? {}
    const loss = new SessionError(
      'DataLoss',
      `The database "${name}" was deleted, evicted or wiped while it was in use, and there is nothing to fill it from.${describeLoss(known)}${inMemory} Close this store and open it again to begin a new one.`,
    )
    const { sessions, updatedAt } = known
    feed.emit({
      type: 'notice',
      name: 'dataLost',
      message: loss.message,
      ...(sessions === undefined || updatedAt === undefined ? {} : { lost: { sessions, updatedAt } }),
    })
    return loss
  }

  return {
    accept: async (started, held) => {
      if (started.epoch === undefined || started.epoch === epoch) return started
      const { mirror, remote } = started
      if (mirror?.hasLost) await refill().catch(() => undefined)
      // Another tab was faster, and has already used up the mirror.
      const isFilled =
        mirror?.hasLost ||
        (mirror?.isOn && (await saysYes(remote.listSessions({ limit: 1 }).then(({ total }) => total > 0))))
      if (!isFilled) {
        started.end()
        announced = lossOf(held)
        throw announced
      }
      epoch = started.epoch
      await noteEpoch(attempt, epoch)
      if (!mirror?.hasLost)
        feed.emit({
          type: 'notice',
          name: 'refilled',
          message: `The database "${name}" was lost while it was in use. Another tab has filled it again from the mirror, or has begun a new one.`,
        })
      return started
    },
    loss: () => announced,
  }
}

/** The answer of a worker that is not watched; false if it fails or takes too long. */
export const saysYes = (asked: Promise<boolean>): Promise<boolean> => inTime(asked, answerMs).catch(() => false)
