import type { SyncConnection } from './link.ts'
import { createSessionAgreement } from './session-agreement.ts'
import type { SessionLinkOptions } from './session-link-options.ts'
import { openSyncDocument, type SyncDocument } from './sync-document.ts'

/** One session being synced: its document on its connection. */
export interface SessionLink {
  readonly document: SyncDocument
  /** Sends on what the log has got. @returns how many entries */
  publish(): Promise<number>
  /** Checks again whether both sides have the same; `onSynced` says so. */
  recheck(): Promise<void>
  close(): Promise<void>
}

export async function openSessionLink(options: SessionLinkOptions): Promise<SessionLink> {
  const { transport, visit, onTrouble } = options
  const document = await openSyncDocument(options)
  let connection: SyncConnection | undefined
  let isReadonly = false
  let isClosed = false
  let receiving = 0
  const agreement = createSessionAgreement({
    ...options,
    document,
    ask: () => connection?.ask(),
    isReceiving: () => receiving > 0,
    isReadonly: () => isReadonly,
    isClosed: () => isClosed,
  })

  connection = transport.open({
    name: options.name,
    doc: document.doc,
    ...(visit && { awareness: visit.awareness }),
    receive: async (update, origin) => {
      receiving += 1
      const report = await document.receive(update, origin).finally(() => (receiving -= 1))
      if (!isClosed) agreement.takeReport(report)
    },
    peerHas: agreement.takeVector,
    others: (count) => {
      // A session that both sides agree on need not wait.
      if (count === 0 && !isClosed && agreement.isOpen()) onTrouble({ state: 'offline' })
    },
    status: (status) => {
      if (isClosed || status.state === 'connecting' || status.state === 'connected') return
      if (status.state === 'readonly') isReadonly = true
      onTrouble(status)
    },
  })

  const publish = async (): Promise<number> => {
    const count = await document.publish()
    agreement.published(count)
    return count
  }
  const askAnew = (): void => {
    if (!isClosed) agreement.askAnew()
  }
  return {
    document,
    publish: async () => {
      const count = await publish()
      if (count > 0) askAnew()
      return count
    },
    recheck: () => publish().then(askAnew),
    close: async () => {
      isClosed = true
      agreement.close()
      await closeLink(connection, document).finally(() => visit?.leave())
    },
  }
}

async function closeLink(connection: SyncConnection, document: SyncDocument): Promise<void> {
  await connection.close()
  await document.close()
}
