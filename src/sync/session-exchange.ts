import type { VersionVector } from '../contract/entry.ts'
import { createExchangeRound } from './exchange-round.ts'
import type { SessionLink, SessionTrouble } from './session-link.ts'
import type { WindowEvents } from './session-window.ts'
import { settleProven } from './settle-proven.ts'
import type { SessionSyncState } from './status.ts'

export interface SessionExchangeOptions {
  readonly now: () => number
  readonly open: (events: WindowEvents) => Promise<SessionLink>
  /** @see SessionWindowOptions.onSynced */
  readonly onSynced: (proven: VersionVector, isMost: boolean) => Promise<boolean>
  readonly onState: (state: SessionSyncState) => void
  readonly onTrouble: (trouble: SessionTrouble) => void
  /** It is closed, or has ended. */
  readonly onClosed: () => void
}

/** One connected session, and its exchange with the other side. */
export interface SessionExchange {
  /** When it last changed. */
  since(): number
  /** Exchanges it. Settles once both sides have the same, or cannot get there now; an earlier call settles at once. */
  run(): Promise<void>
  /** Sends what the log has got. @returns how many entries */
  publish(): Promise<number>
  /** Resolves when nothing of it is under way any more. */
  close(): Promise<void>
}

export function openSessionExchange(options: SessionExchangeOptions): SessionExchange {
  const { now, open, onSynced, onState, onTrouble, onClosed } = options
  let lastChange = now()
  const round = createExchangeRound()
  /** Why the other side takes nothing from here. */
  let readonly: SessionTrouble | undefined
  let isRunning = false
  let isClosed = false

  const noteTrouble = (trouble: SessionTrouble): void => {
    if (isClosed) return
    if (trouble.state === 'readonly') stayReadonly((readonly = trouble))
    else end(trouble)
  }
  const onProven = (proven: VersionVector): void => {
    if (!isClosed) void settleProven(proven, false, { round, isClosed: () => isClosed, onSynced, onState, recheck })
  }
  const opening = Promise.resolve().then(() => open({ onSynced: onProven, onTrouble: noteTrouble }))
  opening.catch(({ message }: Error) => end({ state: 'error', message }))

  /**
   * Sends what is here, and checks again whether both sides have the same.
   *
   * @returns how far what is here can be sent
   */
  const recheck = async (): Promise<VersionVector | undefined> => {
    try {
      const before = readonly
      const link = await opening
      await link.recheck()
      // The two sides never get to the same state then, but what the others send still arrives.
      if (before !== undefined) stayReadonly(before)
      return link.document.vector()
    } catch (error) {
      end({ state: 'error', message: (error as Error).message })
      return undefined
    }
  }

  /** The exchange stays open: what the others send still arrives. */
  const stayReadonly = (trouble: SessionTrouble): void => {
    if (isClosed) return
    onState('readonly')
    onTrouble(trouble)
    round.settle()
  }

  const end = (trouble: SessionTrouble): void => {
    if (isClosed) return
    onState(trouble.state === 'offline' ? 'waiting' : trouble.state)
    void close()
    onTrouble(trouble)
  }

  const close = (): Promise<void> => {
    if (isClosed) return Promise.resolve()
    isClosed = true
    onClosed()
    round.settle()
    return opening.then((link) => link.close()).catch(() => undefined)
  }

  return {
    since: () => lastChange,
    run: () => {
      const settled = round.begin()
      lastChange = now()
      if (isRunning) void recheck()
      isRunning = true
      return settled
    },
    publish: async () => {
      lastChange = now()
      return (await opening).publish()
    },
    close,
  }
}
