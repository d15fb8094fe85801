import * as Y from 'yjs'
import type { SyncLink, SyncTransport } from '../../src/sync/link.ts'
import { type ConnectedPresence, connectPresence } from '../../src/sync/transports/connect-presence.ts'

/** A small sync server in this process: documents, and who is connected to them. */
export interface Hub {
  transport(): SyncTransport
  document(name: string): Y.Doc
  /** How many bytes each document takes, by name. */
  sizes(): ReadonlyMap<string, number>
  /** Bytes that went either way. */
  traffic(): number
  /** Ends every connection and refuses new ones, until it is up again. */
  down(): void
  up(): void
  /**
   * What it holds now, to go back to: `restore` ends every connection, as a server does that comes up on an old backup.
   */
  backup(): HubBackup
  restore(backup: HubBackup): void
  /** What is called in the place of sending to a device; drops, doubles and holds back are made of it. */
  deliver: (send: () => void) => void
}

export type HubBackup = ReadonlyMap<string, Uint8Array>

export function createHub(): Hub {
  const documents = new Map<string, Y.Doc>()
  const open = new Map<SyncLink, () => void>()
  const here = new Map<SyncLink, ConnectedPresence>()
  let isDown = false
  let traffic = 0
  const document = (name: string): Y.Doc => {
    if (!documents.has(name)) documents.set(name, new Y.Doc({ guid: name }))
    return documents.get(name)!
  }
  const hub: Hub = {
    document,
    sizes: () => new Map([...documents].map(([name, doc]) => [name, Y.encodeStateAsUpdate(doc).length])),
    traffic: () => traffic,
    down: () => {
      isDown = true
      for (const end of [...open.values()]) end()
    },
    up: () => (isDown = false),
    backup: () => new Map([...documents].map(([name, doc]) => [name, Y.encodeStateAsUpdate(doc)])),
    restore: (backup) => {
      for (const end of [...open.values()]) end()
      documents.clear()
      for (const [name, state] of backup) Y.applyUpdate(document(name), state)
    },
    deliver: (send) => queueMicrotask(send),
    transport: () => ({
      open: (link) => {
        const doc = document(link.name)
        const connection = {
          ask: () => {
            if (isOpen) hub.deliver(() => isOpen && answer())
          },
          close: async () => end(),
        }
        let isOpen = true
        const presence =
          link.awareness &&
          connectPresence(link.awareness, connection, (update) => {
            for (const [other, { receive }] of here)
              if (other !== link && other.name === link.name && here.has(link)) receive(update)
          })
        const end = (): void => {
          if (isOpen) presence?.close()
          here.delete(link)
          isOpen = false
          open.delete(link)
          doc.off('update', toDevice)
          link.doc.off('update', fromDevice)
        }
        const receive = (update: Uint8Array): void => {
          traffic += update.length
          void link.receive(update, connection)
        }
        const toDevice = (update: Uint8Array, origin: unknown): void => {
          if (origin !== connection) hub.deliver(() => isOpen && receive(update))
        }
        const fromDevice = (update: Uint8Array, origin: unknown): void => {
          if (origin === connection) return
          traffic += update.length
          Y.applyUpdate(doc, update, connection)
        }
        /** Both state vectors, and what each lacks. */
        const answer = (): void => {
          fromDevice(Y.encodeStateAsUpdate(link.doc, Y.encodeStateVector(doc)), undefined)
          traffic += Y.encodeStateVector(doc).length + Y.encodeStateVector(link.doc).length
          link.peerHas(Y.encodeStateVector(doc))
          receive(Y.encodeStateAsUpdate(doc, Y.encodeStateVector(link.doc)))
        }
        queueMicrotask(() => {
          if (!isOpen) return
          if (isDown) {
            end()
            return link.status({ state: 'offline' })
          }
          open.set(link, () => {
            end()
            link.status({ state: 'offline' })
          })
          doc.on('update', toDevice)
          link.doc.on('update', fromDevice)
          link.status({ state: 'connected' })
          if (presence !== undefined) here.set(link, presence)
          for (const [{ name }, { greet }] of here) if (name === link.name) greet()
          // As servers do: the first word is what they have before anything has come.
          link.peerHas(Y.encodeStateVector(doc))
          answer()
        })
        return connection
      },
      close: async () => undefined,
    }),
  }
  return hub
}
