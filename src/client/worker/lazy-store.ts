import type { SessionStore } from '../../contract/store/session-store.ts'
import { methodNames } from '../opening/options-index.ts'

/** A store that is created by the first call. Closing it before creates none. */
export function createLazyStore(make: () => Promise<SessionStore>): SessionStore {
  let made: Promise<SessionStore> | undefined
  const call = async (name: keyof SessionStore, args: readonly unknown[]): Promise<unknown> => {
    if (name === 'close' && made === undefined) return undefined
    const method = (await (made ??= make()))[name] as (...args: readonly unknown[]) => Promise<unknown>
    return method(...args) // bounded: a method's parameters
  }
  return Object.fromEntries(
    methodNames.map((name) => [name, (...args: readonly unknown[]) => call(name, args)]),
  ) as unknown as SessionStore
}
