import {
  createElement,
  type ReactElement,
  type ReactNode,
  useEffect,
  useMemo,
  useReducer,
  useRef,
  useSyncExternalStore,
} from 'react'
import type { OpenOptions } from '../../client/open-options.ts'
import type { ClientSource } from '../views/client-view.ts'
import { viewOfClient, viewOfOptions } from './provided-store.ts'
import { StoreContext } from './store-context.ts'

/** Either a client that the app opens and closes, or the options of one that the provider opens and closes. */
export type SessionStoreProviderProps =
  | {
      /** A client, or the promise of one; `undefined` while there is none yet. */
      // biome-ignore lint/suspicious/noExplicitAny: a client of whatever messages; hooks name their type themselves.
      readonly client: ClientSource<any>
      readonly children?: ReactNode
    }
  | {
      /**
       * What {@link openSessionStore} gets, the first time that the provider has it; later changes are ignored. To open another
       * store, for another user for example, give the provider another `key`.
       */
      readonly options?: OpenOptions
      readonly children?: ReactNode
    }

/** Provides the session store to the hooks of all components below it. On a server it opens nothing. */
export function SessionStoreProvider(props: SessionStoreProviderProps): ReactElement {
  const isGiven = 'client' in props
  const client = isGiven ? props.client : undefined
  // The first options that it is given, which need not be there from the beginning.
  const given = useRef<OpenOptions>(undefined)
  if (!isGiven) given.current ??= props.options ?? {}
  const options = isGiven ? undefined : given.current
  const view = useMemo(() => (isGiven ? viewOfClient(client) : viewOfOptions(options)), [isGiven, client, options])
  const provided = useSyncExternalStore(view.subscribe, view.getSnapshot, view.getServerSnapshot)
  // An <Activity> that hides the provider ends its subscription, and the store is closed. React shows components again as
  // they were rendered last, and runs their effects first: without this, with the closed store.
  const [, renderAgain] = useReducer((renderings: number) => renderings + 1, 0)
  useEffect(() => renderAgain, [])
  return createElement(StoreContext.Provider, { value: provided }, props.children)
}
