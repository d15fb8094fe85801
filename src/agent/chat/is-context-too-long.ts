/** Whether a model refused a request because it was too long: by the error's `contextTooLong: true`, or its name `ContextTooLong`. */
export function isContextTooLong(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { contextTooLong, name } = error as { readonly contextTooLong?: unknown; readonly name?: unknown }
  return contextTooLong === true || name === 'ContextTooLong'
}
