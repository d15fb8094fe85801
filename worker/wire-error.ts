import type { WireError } from '../src/contract/worker-protocol.ts'

/** What of an error can leave the worker: the same three fields that Comlink lets through. */
export function toWireError(error: unknown): WireError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message, stack } = error
  return { name, message, ...(stack === undefined ? {} : { stack }) }
}
