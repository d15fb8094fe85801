import { randomInt } from 'node:crypto'
import { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider'
import * as Y from 'yjs'

/** A plain Hocuspocus client with one document, as the server sees one. */
export interface SyncDevice {
  readonly document: Y.Doc
  readonly provider: HocuspocusProvider
  /** What the server said when it denied or closed the document or the connection, oldest first. */
  readonly refusals: readonly string[]
  /** The values of a writer; this device's own when left out. */
  values(writer?: number): unknown[]
  push(...values: unknown[]): void
  /** Resolves when the server has said of everything sent that it is stored. */
  stored(): Promise<void>
  close(): void
}

/** Connects to a sync server. It doesn't connect again by itself: that would hide what happened. */
export function openSyncDevice(url: string, name: string, token: string | (() => string)): SyncDevice {
  const document = new Y.Doc()
  document.clientID = randomInt(2 ** 47)
  const refusals: string[] = []
  const socket = new HocuspocusProviderWebsocket({
    url,
    maxAttempts: 1,
    onClose: ({ event }) => {
      refusals.push(event.reason)
      socket.disconnect()
    },
  })
  const provider = new HocuspocusProvider({
    websocketProvider: socket,
    name,
    document,
    token: typeof token === 'string' ? token : () => token(),
    onAuthenticationFailed: ({ reason }) => void refusals.push(reason),
    onClose: ({ event }) => void refusals.push(event.reason),
  })
  provider.attach()
  const array = (writer: number) => document.getArray(name.endsWith('/index') ? 'index' : `w:${writer.toString(36)}`)
  return {
    document,
    provider,
    refusals,
    values: (writer = document.clientID) => array(writer).toArray(),
    push: (...values) => array(document.clientID).push(values),
    stored: () =>
      new Promise((resolve) => {
        const look = () => {
          if (!provider.isSynced || provider.unsyncedChanges > 0) return
          provider.off('unsyncedChanges', look)
          provider.off('synced', look)
          resolve()
        }
        provider.on('unsyncedChanges', look)
        provider.on('synced', look)
        look()
      }),
    close() {
      provider.destroy()
      socket.destroy()
    },
  }
}
