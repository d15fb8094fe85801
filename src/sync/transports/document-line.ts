import type { LinkStatus, SyncConnection, SyncLink } from '../link.ts'
import { createTaskQueue } from '../task-queue.ts'
import { type ConnectedPresence, connectPresence } from './connect-presence.ts'
import { initialLine, isReached, type LineCommand, type LineEvent, stepLine } from './line-state.ts'

/** What a transport does for one document: everything that reaches the other side. */
export interface LineDriver {
  /** Goes to the other side; the event `reached` follows. Absent where nothing lies between. */
  readonly connect?: () => void
  /** The other side is reached. */
  readonly onReached?: () => void
  /** Sends who is here. Absent: this transport carries no presence. */
  readonly publish?: (update: Uint8Array) => void
  /** Asks the other side what it has, once everything was sent; `done` when the next question may follow. */
  readonly ask: (done: () => void) => void
  /** The other side takes nothing any more. */
  readonly stopWriting?: () => void
  /**
   * Leaves and releases everything. Called once.
   *
   * @param mustLeave - whether the other side may still think that the document is open
   */
  readonly release: (mustLeave: boolean) => void
}

/** The exchange of one document with the other side: `line-state.ts` decides, and a driver acts. */
export interface DocumentLine {
  readonly connection: SyncConnection
  /** Who is here, once the other side is reached, if presence is on. */
  presence(): ConnectedPresence | undefined
  isReached(): boolean
  isOver(): boolean
  /** What follows is done before this returns, unless a command is under way: then just after that. */
  send(event: LineEvent): void
  /** The exchange has ended by itself. @param mustLeave - default true */
  end(status: LinkStatus, mustLeave?: boolean): void
  fail(error: Error): void
  /**
   * Runs a task after those before it have ended, unless the exchange is over by then. A task that fails ends it.
   *
   * @returns resolves when that is done; never rejects
   */
  inTurn(task: () => Promise<void> | void): Promise<void>
  /** Begins, now that there is who acts. Called once; statuses come later than this returns. */
  begin(driver: LineDriver): void
}

export function createDocumentLine(link: SyncLink): DocumentLine {
  const arrivals = createTaskQueue()
  const pending: LineCommand[] = []
  const met: Met = {}
  let state = initialLine
  let perform: ((command: LineCommand) => void) | undefined
  let isPerforming = false

  const performAll = (): void => {
    if (isPerforming || perform === undefined) return
    isPerforming = true
    try {
      for (let next = pending.shift(); next !== undefined; next = pending.shift()) perform(next)
    } finally {
      isPerforming = false
    }
  }
  const send = (event: LineEvent): void => {
    const move = stepLine(state, event)
    state = move.state
    for (const command of move.commands) pending.push(command)
    performAll()
  }
  const isOver = (): boolean => state.at === 'over'
  const end = (status: LinkStatus, mustLeave = true): void => send({ type: 'ended', status, mustLeave })
  const fail = ({ message }: Error): void => end({ state: 'error', message })
  const connection: SyncConnection = {
    ask: () => send({ type: 'askWanted' }),
    close: async () => {
      send({ type: 'closed' })
      await arrivals.done()
    },
  }
  return {
    connection,
    presence: () => met.presence,
    isReached: () => isReached(state),
    isOver,
    send,
    end,
    fail,
    inTurn: (task) => arrivals.run(async () => (isOver() ? undefined : task())).catch(fail),
    begin: (driver) => {
      perform = performer(link, connection, met, driver, send)
      queueMicrotask(() => send(driver.connect ? { type: 'started' } : { type: 'reached', isReadonly: false }))
      performAll()
    },
  }
}

interface Met {
  presence?: ConnectedPresence
}

/** Does what a command says. */
function performer(
  link: SyncLink,
  connection: SyncConnection,
  met: Met,
  driver: LineDriver,
  send: (event: LineEvent) => void,
): (command: LineCommand) => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  return (command) => {
    switch (command.do) {
      case 'tell':
        return link.status(command.status)
      case 'connect':
        return driver.connect?.()
      case 'greet':
        driver.onReached?.()
        if (link.awareness && driver.publish) met.presence = connectPresence(link.awareness, connection, driver.publish)
        return met.presence?.greet()
      case 'ask':
        return driver.ask(() => send({ type: 'asked' }))
      case 'wait':
        clearTimeout(timer)
        timer = setTimeout(() => send({ type: 'ended', status: { state: 'offline' }, mustLeave: true }), command.ms)
        return
      case 'stopWaiting':
        return clearTimeout(timer)
      case 'stopWriting':
        return driver.stopWriting?.()
      case 'release':
        clearTimeout(timer)
        met.presence?.close()
        return driver.release(command.mustLeave)
    }
  }
}
