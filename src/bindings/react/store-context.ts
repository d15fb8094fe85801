import { createContext, useContext } from 'react'
import type { SessionClient } from '../../client/client-contract.ts'
import { SessionError } from '../../contract/errors.ts'
import type { Message } from '../../contract/message.ts'
import type { ClientSource } from '../views/client-view.ts'

/** What a provider hands to the components below it. */
export interface ProvidedStore {
  /** What views ask; also a promise, so that a store that can't be opened shows in each of them. */
  readonly source: ClientSource<object>
  /** The client, once it is open. */
  readonly client: SessionClient<object> | undefined
}

export const StoreContext = createContext<ProvidedStore | undefined>(undefined)

/** @throws InvalidInput outside of a provider */
export function useProvidedStore(): ProvidedStore {
  return demandStore(useContext(StoreContext))
}

/** @throws InvalidInput when there is no provider */
export function demandStore(provided: ProvidedStore | undefined): ProvidedStore {
  if (provided !== undefined) return provided
  throw new SessionError(
    'InvalidInput',
    'A component asked for the session store, but no <SessionStoreProvider> is above it. Put one around your app.',
  )
}

/**
 * The client of the nearest provider; `undefined` while it is being opened, on a server, and when it could not be
 * opened (then the other hooks say why).
 *
 * @throws InvalidInput outside of a provider
 */
export function useSessionStore<M extends object = Message>(): SessionClient<M> | undefined {
  return useProvidedStore().client as SessionClient<M> | undefined
}
