import type { StoreHealth } from '../../client/store-health.ts'
import type { Message } from '../../contract/message.ts'
import type { ClientSource } from './client-source.ts'
import { createView, type View } from './view.ts'
import { failed, LOADING, READY, type ViewStatus } from './view-status.ts'

/** Where the store lives and whether it is durable. */
export interface HealthState extends ViewStatus {
  /** Read when it is first shown, and again at each notice of the store. */
  readonly health: StoreHealth | undefined
}

export function healthView<M extends object = Message>(source: ClientSource<M>): View<HealthState> {
  return createView<HealthState>({ ...LOADING, health: undefined }, (show) => {
    if (source === undefined) return () => undefined
    let isOver = false
    let unsubscribe = (): void => undefined
    let reads = 0
    async function follow(): Promise<void> {
      const client = await source!
      if (isOver) return
      const read = (): void => {
        const own = ++reads
        const shown = (state: Partial<HealthState>): void => {
          // An answer that a newer one has overtaken is out of date.
          if (own === reads) show(state)
        }
        client.upkeep.health().then(
          (health) => shown({ ...READY, health }),
          (error: unknown) => shown(failed(error)),
        )
      }
      unsubscribe = client.subscribe(({ type }) => type === 'notice' && read())
      read()
    }
    follow().catch((error: unknown) => show(failed(error)))
    return () => {
      isOver = true
      unsubscribe()
    }
  })
}
