import type { VersionVector } from '../contract/entry.ts'
import { includesVector } from '../domain/version-vector.ts'
import type { ExchangeRound } from './exchange-round.ts'
import type { SessionExchangeOptions } from './session-exchange-options.ts'

export interface SettleProvenOptions extends Pick<SessionExchangeOptions, 'onSynced' | 'onState'> {
  readonly round: ExchangeRound
  readonly isClosed: () => boolean
  /**
   * Sends what is here, and checks again whether both sides have the same.
   *
   * @returns how far what is here can be sent
   */
  readonly recheck: () => Promise<VersionVector | undefined>
}

/** Settles an exchange when both sides have what was proven and no more is here; otherwise sends the rest first. */
export async function settleProven(
  proven: VersionVector,
  isMost: boolean,
  options: SettleProvenOptions,
): Promise<void> {
  const { round, isClosed, onSynced, onState, recheck } = options
  // Another exchange may have started by the time this one is noted.
  const settle = round.current()
  const isSettled = await onSynced(proven, isMost)
  if (isClosed() || round.current() !== settle) return settle()
  if (isSettled) {
    onState('synced')
    return settle()
  }
  onState('syncing')
  const reached = await recheck()
  // Entries behind one that is lost here have no place in the document.
  if (!isClosed() && reached !== undefined && includesVector(proven, reached)) await settleProven(proven, true, options)
}
