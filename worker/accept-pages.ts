import type { OpenMessage } from '../src/contract/worker-protocol.ts'
import { type OpenStore, servePage } from './serve-page.ts'

/** Opens a store for every page that asks, each over the port that the page sends. Other messages are ignored. */
export function acceptPages(scope: Pick<EventTarget, 'addEventListener'>, openStore: OpenStore): void {
  scope.addEventListener('message', (event) => {
    const { data, ports } = event as MessageEvent<Partial<OpenMessage> | null>
    const [port] = ports
    if (port !== undefined && data?.keepsession === 'open') void servePage(port, data as OpenMessage, openStore)
  })
}
