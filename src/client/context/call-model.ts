import { callInTime, type TimedCallOptions } from '../worker/call-in-time.ts'

/**
 * Calls a function of the caller that asks a model for a text, see {@link callInTime}.
 *
 * @throws Aborted, InvalidInput; TypeError when it returns anything but a string
 */
export async function callModel(make: (signal: AbortSignal) => unknown, options: TimedCallOptions): Promise<string> {
  const text = await callInTime(make, options)
  if (typeof text !== 'string')
    throw new TypeError(`${options.what} must be a string, got ${text === null ? 'null' : typeof text}.`)
  return text
}
