import { HocuspocusProvider, type HocuspocusProviderWebsocket } from '@hocuspocus/provider'
import type { Doc } from 'yjs'

interface ProvidedDocument {
  readonly name: string
  readonly doc: Doc
  readonly socket: HocuspocusProviderWebsocket
  readonly token: () => Promise<string> | string
  readonly onOpen: (isReadonly: boolean) => void
  readonly onDenied: (reason: string) => void
}

export interface DocumentProviderOptions extends ProvidedDocument {
  /** Resolves when the document may be opened, with what gives the turn back once it is open. */
  readonly turn: () => Promise<() => void>
  /** A step takes time from now on: for the token, and then for the server. */
  readonly onWait: () => void
  /** The token could not be had. */
  readonly onTokenError: (error: Error) => void
}

/** Opens one document at the server by the library's provider, which authenticates and answers for it. */
export interface DocumentProvider {
  open(): Promise<void>
  /** Whether the server has heard of the document. */
  hasSpoken(): boolean
  /** @param isForgotten - the server is not told, because it has closed the document or never knew it */
  close(isForgotten: boolean): void
}

export function createDocumentProvider(options: DocumentProviderOptions): DocumentProvider {
  const { name, socket, token, turn, onWait, onOpen, onTokenError } = options
  let provider: HocuspocusProvider | undefined
  let giveBack: (() => void) | undefined
  let hasSpoken = false
  let isClosed = false
  return {
    open: async () => {
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
      provider = provideDocument(
        {
          ...options,
          onOpen: (isReadonly) => {
            giveBack?.()
            onOpen(isReadonly)
          },
        },
        first,
        () => (hasSpoken = true),
      )
    },
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

/** The library's provider for a document, which sends nothing of it by itself. @param first - the first token */
function provideDocument(
  { name, doc, socket, token, onOpen, onDenied }: ProvidedDocument,
  first: string,
  onSpeak: () => void,
): HocuspocusProvider {
  let next: string | undefined = first
  const provider = new HocuspocusProvider({
    name,
    document: doc,
    websocketProvider: socket,
    awareness: null,
    token: async () => {
      const now = next ?? (await token())
      next = undefined
      return now
    },
    onOutgoingMessage: onSpeak,
    onAuthenticated: ({ scope }) => onOpen(scope === 'readonly'),
    onAuthenticationFailed: ({ reason }) => onDenied(reason),
  })
  // The outbox sends updates, in pieces and only what the server lacks.
  doc.off('update', provider.boundDocumentUpdateHandler)
  provider.attach()
  return provider
}
