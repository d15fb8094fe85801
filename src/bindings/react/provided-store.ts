import type { OpenOptions } from '../../client/open-options.ts'
import { openSessionStore } from '../../client/opening/open-session-store.ts'
import type { ClientSource } from '../views/client-view.ts'
import { createView, type View } from '../views/view.ts'
import type { ProvidedStore } from './store-context.ts'

const NONE: ProvidedStore = { source: undefined, client: undefined }

/** A client that the app opened and will close. */
export function viewOfClient(source: ClientSource<object>): View<ProvidedStore> {
  if (source === undefined) return createView(NONE, () => () => undefined)
  if (!('then' in source)) {
    const provided = { source, client: source }
    // A server has no store: pages are hydrated without one, too.
    return { subscribe: () => () => undefined, getSnapshot: () => provided, getServerSnapshot: () => NONE }
  }
  return createView(NONE, (show) => {
    follow(source, show)
    return () => undefined
  })
}

/** A client that is open as long as somebody subscribes. */
export function viewOfOptions(options: OpenOptions | undefined): View<ProvidedStore> {
  return createView(NONE, (show) => {
    const opening = openSessionStore<object>(options)
    follow(opening, show)
    return () => {
      // Whoever subscribes next gets another client, and nothing of this one until then.
      show(NONE)
      void opening.then(
        (client) => client.close(),
        // There is nothing to close.
        () => undefined,
      )
    }
  })
}

function follow(
  source: Exclude<ClientSource<object>, undefined>,
  show: (change: Partial<ProvidedStore>) => void,
): void {
  show({ source, client: undefined })
  Promise.resolve(source).then(
    (client) => show({ client }),
    // Each view of this source shows the error.
    () => undefined,
  )
}
