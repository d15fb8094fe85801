import type { SessionError } from '../../contract/errors.ts'

/** Methods that don't return a promise, and so throw. */
const immediate: readonly PropertyKey[] = ['ephemeral', Symbol.asyncIterator]

/**
 * Methods that refuse to be called once their handle was closed.
 *
 * @param closedError - says which handle was closed and what to do; `undefined` while it is open
 */
export function refuseClosed<Methods extends object>(
  methods: Methods,
  closedError: (method: string) => SessionError | undefined,
): Methods {
  const refuse = (name: PropertyKey): void => {
    const error = closedError(String(name))
    if (error !== undefined) throw error
  }
  const guarded: Record<PropertyKey, unknown> = {}
  for (const name of Reflect.ownKeys(methods)) {
    const method = methods[name as keyof Methods] as (...args: readonly unknown[]) => unknown
    guarded[name] = immediate.includes(name)
      ? (...args: readonly unknown[]) => {
          refuse(name)
          return method(...args) // bounded: a method's parameters
        }
      : async (...args: readonly unknown[]) => {
          refuse(name)
          return method(...args) // bounded: a method's parameters
        }
  }
  return guarded as Methods
}
