/** Whether a value has methods of these names, its own or inherited ones. */
export function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  return names.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === 'function')
}
