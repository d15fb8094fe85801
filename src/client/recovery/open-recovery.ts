import type { StoreMode } from '../open-options.ts'
import { isOutOfRoom } from '../upkeep/is-out-of-room.ts'
import { refillLost } from '../upkeep/refill-from-mirror.ts'
import { createRecovery, type Recovery } from './recovery.ts'
import type { RecoveryLink } from './recovery-ways.ts'

/** Creates the recovery of a store that was opened in a worker of this mode. */
export const openRecovery = (link: RecoveryLink, mode: StoreMode): Recovery =>
  createRecovery(
    link,
    () => refillLost(mode, link.attempt),
    () => isOutOfRoom(),
  )
