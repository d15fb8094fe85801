import { HocuspocusProvider, type HocuspocusProviderWebsocket } from '@hocuspocus/provider'
import type { Doc } from 'yjs'

export interface DocumentProviderOptions {
  readonly name: string
  readonly doc: Doc
  readonly socket: HocuspocusProviderWebsocket
  readonly token: () => Promise<string> | string
  /** Resolves when the document may be opened, with what gives the turn back once it is open. */
  readonly turn: () => Promise<() => void>
  readonly onStart: () => void
  /** A step takes time from now on: for the token, and then for the server. */
  readonly onWait: () => void
  readonly onOpen: (isReadonly: boolean) => void
  readonly onDenied: (reason: string) => void
  /** The token could not be had. */
  readonly onTokenError: (error: Error) => void
}

/** Opens one document at the server by the library's provider, which authenticates and answers for it. */
export interface DocumentProvider {
  /** Whether the server has heard of the document. */
  hasSpoken(): boolean
  /** @param isForgotten - the server is not told, because it has closed the document or never knew it */
  close(isForgotten: boolean): void
}

export function openDocumentProvider(options: DocumentProviderOptions): DocumentProvider {
  const { name, doc, socket, token, turn, onStart, onWait, onOpen, onDenied, onTokenError } = options
  let provider: HocuspocusProvider | undefined
  let giveBack: (() => void) | undefined
  let hasSpoken = false
  let isClosed = false

  const attach = (first: string): void => {
    let next: string | undefined = first
    provider = new HocuspocusProvider({
      name,
      document: doc,
      websocketProvider: socket,
      awareness: null,
      token: async () => {
        const now = next ?? (await token())
        next = undefined
        return now
      },
      onOutgoingMessage: () => {
        hasSpoken = true
      },
      onAuthenticated: ({ scope }) => {
        giveBack?.()
        onOpen(scope === 'readonly')
      },
      onAuthenticationFailed: ({ reason }) => onDenied(reason),
    })
    // The outbox sends updates, in pieces and only what the server lacks.
    doc.off('update', provider.boundDocumentUpdateHandler)
    provider.attach()
  }
  const start = async (): Promise<void> => {
    // Statuses must come later than `open` returns.
    await Promise.resolve()
    if (isClosed) return
    onStart()
    giveBack = await turn()
    if (isClosed) return giveBack()
    onWait()
    let first: string
    try {
      first = await token()
    } catch (error) {
      return onTokenError(error as Error)
    }
    if (isClosed) return
    onWait()
    attach(first)
  }
  void start()

  return {
    hasSpoken: () => hasSpoken,
    close: (isForgotten) => {
      isClosed = true
      // The server would take a goodbye from a document that it does not have open for the opening of one.
      if (isForgotten) socket.configuration.providerMap.delete(name)
      provider?.destroy()
      giveBack?.()
    },
  }
}
