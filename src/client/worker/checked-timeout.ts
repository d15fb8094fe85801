import { SessionError } from '../../contract/errors.ts'

/** @throws InvalidInput for anything but a number above 0; `Infinity` is no limit */
export function checkedTimeout(timeoutMs: number): number {
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0))
    throw new SessionError(
      'InvalidInput',
      `timeoutMs must be a number of milliseconds above 0, got ${String(timeoutMs)}.`,
    )
  return timeoutMs
}
