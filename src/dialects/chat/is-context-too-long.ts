import { ModelFailure } from './model-failure.ts'

/**
 * Whether a model refused a request because it was too long: by the error's `contextTooLong: true`, or its name
 * `ContextTooLong`.
 */
export function isContextTooLong(error: unknown): boolean {
  if (!(error instanceof ModelFailure) || typeof error.reason !== 'object' || error.reason === null) return false
  const { contextTooLong, name } = error.reason as { readonly contextTooLong?: unknown; readonly name?: unknown }
  return contextTooLong === true || name === 'ContextTooLong'
}
