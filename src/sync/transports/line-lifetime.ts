import type { LinkStatus, SyncLink } from '../link.ts'
import { createTaskQueue } from '../task-queue.ts'

export interface LineLifetimeOptions {
  readonly link: Pick<SyncLink, 'status'>
  /** The last thing to send. Nothing counts as over yet. */
  readonly goodbye?: () => void
  /**
   * Releases everything. Called once.
   *
   * @param mustLeave - whether the other side may still think that the document is open
   */
  readonly release: (mustLeave: boolean) => void
}

/** The lifetime of one document's connection: what arrives is handled in order until the end, which comes once. */
export interface LineLifetime {
  isOver(): boolean
  /**
   * Runs a task after those before it have ended, unless the connection is over by then. A task that fails ends the
   * connection.
   */
  inTurn(task: () => Promise<void> | void): void
  /** The connection has ended by itself. @param mustLeave - default true */
  end(status: LinkStatus, mustLeave?: boolean): void
  /** Closes it from here. Resolves when nothing that arrived is being handled any more. */
  close(): Promise<void>
}

export function createLineLifetime({ link, goodbye, release }: LineLifetimeOptions): LineLifetime {
  const arrivals = createTaskQueue()
  let isOver = false

  const finish = (mustLeave: boolean): void => {
    if (isOver) return
    goodbye?.()
    isOver = true
    release(mustLeave)
  }
  const end = (status: LinkStatus, mustLeave = true): void => {
    if (isOver) return
    finish(mustLeave)
    link.status(status)
  }

  return {
    isOver: () => isOver,
    inTurn: (task) => {
      const run = arrivals.run(async () => {
        if (!isOver) await task()
      })
      run.catch(({ message }: Error) => end({ state: 'error', message }))
    },
    end,
    close: async () => {
      finish(true)
      await arrivals.done()
    },
  }
}
