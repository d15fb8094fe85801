import { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider'
import { expect, test } from 'vitest'
import * as Y from 'yjs'
import { startSyncServer } from '../../server/index.js'

test('two clients exchange through the server', async () => {
  const server = await startSyncServer({ port: 0, secret: 'x' })
  const open = () => {
    const socket = new HocuspocusProviderWebsocket({ url: server.url })
    const document = new Y.Doc()
    const p = new HocuspocusProvider({ websocketProvider: socket, name: 'a/s/x', document, token: 'x' })
    p.attach()
    return { socket, document, p }
  }
  const a = open()
  const b = open()
  a.document.getArray(`w:${a.document.clientID.toString(36)}`).push([[1]])
  await expect.poll(() => b.document.getArray(`w:${a.document.clientID.toString(36)}`).length).toBe(1)
  for (const x of [a, b]) { x.p.destroy(); x.socket.destroy() }
  await server.close()
})
