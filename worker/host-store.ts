import { isSessionError, SessionError } from '../src/contract/errors.ts'
import type { CoreStore } from '../src/contract/store/session-store.ts'
import type { CallOutcome, HostedCall, HostedStore } from '../src/contract/worker-protocol.ts'
import { isConnectionLost } from '../src/storage/indexeddb/storage-error.ts'
import { toWireError } from './wire-error.ts'

type Method = (...args: readonly unknown[]) => Promise<unknown>

/** Hooks around the calls. */
export interface HostHooks {
  /** Called before each answer. */
  onAnswer(): void
  /** Called when the store was closed. */
  onClose(): void
}

/** The object that a worker exposes of a store. It has the store's methods and `batch`, and nothing else. */
export function hostStore(store: CoreStore, { onAnswer, onClose }: HostHooks): HostedStore {
  const methods = new Map<string, Method>(
    Object.entries(store as unknown as Readonly<Record<string, Method>>).map(([name, method]) => [
      name,
      async (...args) => {
        try {
          return await method(...args).catch((error: unknown) => {
            // The call is repeated on a new connection. If it was stored although it failed, its operation id shows
            // that.
            if (!isSessionError(error, 'StorageUnavailable') || !isConnectionLost(error)) throw error
            return method(...args)
          })
        } finally {
          onAnswer()
          if (name === 'close') onClose()
        }
      },
    ]),
  )

  async function settle(call: Partial<HostedCall> | null): Promise<CallOutcome> {
    try {
      const method = methods.get(String(call?.method))
      if (method === undefined)
        throw new SessionError(
          'AccessDenied',
          `Refused "${String(call?.method)}" in a batch: only methods of SessionStore can be called.`,
        )
      return { value: await method(...(call?.args ?? [])) } // bounded: a method's parameters
    } catch (error) {
      return { error: toWireError(error) }
    }
  }

  const batch = (calls: readonly HostedCall[]): Promise<CallOutcome[]> => Promise.all(calls.map(settle))
  return Object.assign(Object.create(null), { ...Object.fromEntries(methods), batch }) as HostedStore
}
