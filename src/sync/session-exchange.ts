import type { VersionVector } from '../contract/entry.ts'
import { createExchangeRound } from './exchange-round.ts'
import { createExchangeStanding } from './exchange-standing.ts'
import type { SessionExchangeOptions } from './session-exchange-options.ts'
import type { SessionLink } from './session-link.ts'
import type { SessionTrouble } from './session-link-options.ts'
import { settleProven } from './settle-proven.ts'

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
  const { now, open, onSynced, onState } = options
  const round = createExchangeRound()
  const standing = createExchangeStanding(options, round)
  const { isClosed } = standing
  let lastChange = now()
  let isRunning = false
  let begin!: (link: Promise<SessionLink>) => void
  const opening = new Promise<SessionLink>((resolve) => (begin = resolve))
  const fail = ({ message }: Error): void => standing.end({ state: 'error', message })
  opening.catch(fail)
  const closed = standing.ended.then(() => closeLink(opening))

  /**
   * Sends what is here, and checks again whether both sides have the same.
   *
   * @returns how far what is here can be sent
   */
  const recheck = async (): Promise<VersionVector | undefined> => {
    try {
      const before = standing.whyReadonly()
      const link = await opening
      await link.recheck()
      // The two sides never get to the same state then, but what the others send still arrives.
      if (before !== undefined) standing.stayReadonly(before)
      return link.document.vector()
    } catch (error) {
      fail(error as Error)
      return undefined
    }
  }
  const onProven = (proven: VersionVector): void => {
    // What could not be recorded is exchanged once more.
    if (!isClosed()) settleProven(proven, false, { round, isClosed, onSynced, onState, recheck }).catch(fail)
  }
  const onTrouble = (trouble: SessionTrouble): void => {
    if (trouble.state === 'readonly') standing.stayReadonly(trouble)
    else standing.end(trouble)
  }
  begin(Promise.resolve().then(() => open({ isClosed, signal: standing.signal, onSynced: onProven, onTrouble })))

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
      return (await opening).publish().catch((error: unknown) => unlessClosed(error, isClosed))
    },
    close: () => {
      standing.end()
      return closed
    },
  }
}

/** A connection that was closed meanwhile sends nothing, which is no failure. */
function unlessClosed(error: unknown, isClosed: () => boolean): number {
  if (isClosed()) return 0
  throw error
}

/** A link that cannot be closed counts as closed nevertheless. */
const closeLink = (opening: Promise<SessionLink>): Promise<void> =>
  opening.then((link) => link.close()).catch(() => undefined)
