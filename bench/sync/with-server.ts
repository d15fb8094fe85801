import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnSyncServer } from '../../test/support/spawn-sync-server.ts'

/** Does something with our sync server in a process of its own, whose data are thrown away. */
export async function withServer<T>(act: (url: string) => Promise<T>): Promise<T> {
  const data = await mkdtemp(join(tmpdir(), 'keepsession-bench-'))
  const server = await spawnSyncServer({
    data,
    secret: 'bench',
    limits: { messagesPerSecond: 1e6, messageBurst: 1e6, bytesPerSecond: 1e9, byteBurst: 1e9 },
  })
  try {
    return await act(server.url)
  } finally {
    await server.kill()
    await rm(data, { recursive: true, force: true })
  }
}
