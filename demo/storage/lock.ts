import { ofDevice } from '../device.ts'
import { readLocal, writeLocal } from '../ui/local.ts'

/**
 * Whether the conversations of this device are encrypted; `choose`: a passphrase is to be chosen at the next opening.
 */
export type Lock = 'none' | 'choose' | 'locked'

const name = ofDevice('lock')

export function readLock(): Lock {
  const value = readLocal(name)
  return value === 'choose' || value === 'locked' ? value : 'none'
}

export function writeLock(lock: Lock): void {
  writeLocal(name, lock === 'none' ? undefined : lock)
}
