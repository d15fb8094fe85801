import { Awareness } from 'y-protocols/awareness'
import { WebsocketProvider } from 'y-websocket'
import { Doc } from 'yjs'
import type { WebsocketTransportOptions } from './websocket-options.ts'

interface DetachedProviderOptions {
  readonly url: string
  /** Name of the document. */
  readonly name: string
  readonly doc: Doc
  readonly params: NonNullable<WebsocketTransportOptions['params']>
  /** The class that it opens its socket with. */
  readonly WebSocket: typeof WebSocket
}

/**
 * The library's provider for one document, which opens the socket and answers the server, and sends nothing by itself.
 */
export interface DetachedProvider {
  /** @returns the address of its socket, or nothing if it was closed in the meantime; @throws when it cannot be made */
  open(options: DetachedProviderOptions): Promise<string>
  close(): void
}

export function createDetachedProvider(): DetachedProvider {
  // Its own awareness is not used: see `connectPresence`.
  const unused = new Awareness(new Doc())
  unused.setLocalState(null)
  let provider: WebsocketProvider | undefined
  let isClosed = false
  return {
    open: async ({ url, name, doc, params, WebSocket }) => {
      const query = await queryOf(params)
      if (isClosed) return ''
      const room = name.split('/').map(encodeURIComponent).join('/')
      const options = { params: { ...query }, awareness: unused, disableBc: true, shouldReconnect: () => false }
      provider = new WebsocketProvider(url, room, doc, { ...options, WebSocketPolyfill: WebSocket })
      // The outbox sends updates, in pieces and only what the server lacks.
      doc.off('update', provider._updateHandler)
      return provider.url
    },
    close: () => {
      isClosed = true
      if (provider !== undefined) {
        // With a socket of its own it would set a timer to open another.
        provider.ws = null
        // It says goodbye as the client of its document, which the awareness never met.
        provider.doc = unused.doc
        provider.destroy()
      }
      unused.destroy()
      unused.doc.destroy()
    },
  }
}

async function queryOf(params: DetachedProviderOptions['params']): Promise<Readonly<Record<string, string>>> {
  try {
    return typeof params === 'function' ? await params() : params
  } catch (error) {
    throw new Error(`the parameters could not be loaded: ${(error as Error).message}`, { cause: error })
  }
}
