import type { WireError } from '../src/contract/worker-protocol.ts'

/** The fields of an error that can leave the worker: the same three that Comlink passes on. */
export function toWireError(error: unknown): WireError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message, stack } = error
  return { name, message, ...(stack === undefined ? {} : { stack }) }
}
