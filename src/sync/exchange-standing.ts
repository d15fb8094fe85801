import type { ExchangeRound } from './exchange-round.ts'
import type { SessionExchangeOptions } from './session-exchange-options.ts'
import type { SessionTrouble } from './session-link-options.ts'

/** Whether an exchange is open, and whether the other side takes anything from here. */
export interface ExchangeStanding {
  isClosed(): boolean
  /** Why the other side takes nothing from here, if that is so. */
  whyReadonly(): SessionTrouble | undefined
  /** The exchange stays open then: what the others send still arrives. */
  stayReadonly(trouble: SessionTrouble): void
  /** It ends. @param trouble - why, unless it is closed from here */
  end(trouble?: SessionTrouble): void
  /** Resolves then. */
  readonly ended: Promise<void>
  /** Aborted then. */
  readonly signal: AbortSignal
}

export function createExchangeStanding(
  { onState, onTrouble, onClosed }: Pick<SessionExchangeOptions, 'onState' | 'onTrouble' | 'onClosed'>,
  round: ExchangeRound,
): ExchangeStanding {
  let readonly: SessionTrouble | undefined
  const closing = new AbortController()
  const isClosed = (): boolean => closing.signal.aborted
  let finish: () => void = () => undefined
  const ended = new Promise<void>((resolve) => (finish = resolve))
  return {
    isClosed,
    whyReadonly: () => readonly,
    stayReadonly: (trouble) => {
      if (isClosed()) return
      readonly = trouble
      onState('readonly')
      onTrouble(trouble)
      round.settle()
    },
    end: (trouble) => {
      if (isClosed()) return
      if (trouble !== undefined) onState(trouble.state === 'offline' ? 'waiting' : trouble.state)
      closing.abort()
      onClosed()
      round.settle()
      finish()
      if (trouble !== undefined) onTrouble(trouble)
    },
    ended,
    signal: closing.signal,
  }
}
