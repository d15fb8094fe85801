import type { InspectedClient } from '../../../src/inspector/inspector-options.ts'

/** A client whose calls are counted, by the name of the method. */
export interface CountedStore {
  readonly client: InspectedClient
  /** Calls since the last `clear`, in order: the method, its arguments, and how many entries or sessions it gave. */
  readonly calls: readonly { readonly method: string; readonly args: readonly unknown[]; readonly gave: number }[]
  clear(): void
  /** Subscriptions that are open. */
  subscriptions(): number
}

export function countedStore(client: InspectedClient): CountedStore {
  const calls: { method: string; args: readonly unknown[]; gave: number }[] = []
  let subscriptions = 0
  const counted = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(from, name, receiver) {
        const member: unknown = Reflect.get(from, name, receiver)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => {
          const call = { method: String(name), args, gave: 0 }
          calls.push(call)
          const result: unknown = Reflect.apply(member, from, args)
          if (result instanceof Promise) result.then((value) => (call.gave = sizeOf(value))).catch(() => undefined)
          return result
        }
      },
    })
  const own = counted(client)
  const store = counted(client.store)
  const upkeep = counted(client.upkeep)
  return {
    client: {
      name: client.name,
      store,
      upkeep,
      files: counted(client.files),
      session: (target) => own.session(target),
      listSessions: (query) => own.listSessions(query),
      subscribe(listener) {
        subscriptions++
        const stop = client.subscribe(listener)
        return () => {
          subscriptions--
          stop()
        }
      },
    },
    calls,
    clear: () => void calls.splice(0),
    subscriptions: () => subscriptions,
  }
}

function sizeOf(value: unknown): number {
  const { entries, sessions } = (value ?? {}) as { readonly entries?: unknown; readonly sessions?: unknown }
  if (Array.isArray(entries)) return entries.length
  return Array.isArray(sessions) ? sessions.length : 0
}
