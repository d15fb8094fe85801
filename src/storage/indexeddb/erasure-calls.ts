import { crc32 } from '../../domain/crc32.ts'
import { erasuresKey } from './schema.ts'
import type { ReadSteps, WriteSteps } from './transaction.ts'

/** How many calls are remembered at most. A call is repeated within seconds, or never. */
const placeCount = 1024

/** Calls take places by their print, so that no list of them grows. */
const placeOf = (call: string): [string, number] => [erasuresKey, crc32(call) % placeCount]

/** Remembers, with the erasure itself, which call has erased a session: what was stored in it can't remember that. */
export const rememberErasure = (steps: WriteSteps, call: string): void =>
  void steps.store('info').put(call, placeOf(call))

export const findErasure = (steps: ReadSteps<boolean>, call: string): void =>
  steps.read<unknown>(steps.store('info').get(placeOf(call)), (found) => steps.answer(found === call))
