import { isValueLost } from './storage-error.ts'

/** For a value that can't be read: goes on where it is gone for good. What fails otherwise may pass, and must not be taken for damage. */
export function unlessLost(goOn: () => void): (error: unknown) => void {
  return (error) => {
    if (!isValueLost(error)) throw error
    goOn()
  }
}
