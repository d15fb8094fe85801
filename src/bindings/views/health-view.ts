import type { StoreHealth } from '../../client/store-health.ts'
import type { Message } from '../../contract/message.ts'
import { type ClientSource, clientView, type ViewStatus } from './client-view.ts'
import type { View } from './view.ts'

/** Where the store lives and whether it is durable. */
export interface HealthState extends ViewStatus {
  /** Read when it is first shown, and again at each notice of the store. */
  readonly health: StoreHealth | undefined
}

export function healthView<M extends object = Message>(source: ClientSource<M>): View<HealthState> {
  return clientView(source, { health: undefined }, (client, { ready, fail }) => {
    let asked = 0
    let answered = 0
    // What was asked for before an answer was is older than it.
    const read = (): void => {
      const own = ++asked
      const answer = (show: () => void): void => {
        if (own < answered) return
        answered = own
        show()
      }
      client.upkeep.health().then(
        (health) => answer(() => ready({ health })),
        (error: unknown) => answer(() => fail(error)),
      )
    }
    read()
    // Then it is refused, and the view says why.
    client.closed.addEventListener('abort', read)
    const leave = client.subscribe(({ type }) => type === 'notice' && read())
    return () => {
      client.closed.removeEventListener('abort', read)
      leave()
    }
  })
}
