import { openSessionStore } from '../../../src/index.ts'
import { openSync } from '../../../src/sync.ts'
import { untilPaused } from './our-page-device.ts'

/** What a page saw come of an account. In milliseconds since it connected. */
export interface CameIn {
  /** When it had the list, of so many sessions. */
  readonly list: number
  /** When everything was stored here for good. */
  readonly all: number
  /** By how many bytes the page and its workers grew. */
  readonly memory: number
}

/** A device that gets an account of many sessions; opened again under the same name, it gets what changed. */
export async function receiveSessions({
  name,
  url,
  sessions,
}: {
  readonly name: string
  readonly url: string
  readonly sessions: number
}): Promise<CameIn> {
  const client = await openSessionStore({ name, modes: ['worker'], timeoutMs: 20_000 })
  const sync = openSync(client, {
    namespace: 'bench',
    transport: { kind: 'hocuspocus', url },
    token: () => 'bench',
    paused: true,
  })
  await untilPaused(sync)
  const before = await memoryUsed()
  let list = 0
  const start = performance.now()
  const stop = sync.subscribe(() => {
    if (list === 0 && sync.getSnapshot().sessions.length >= sessions) list = performance.now() - start
  })
  await sync.resume()
  const { state, message } = await sync.syncNow()
  await client.upkeep.flush()
  const all = performance.now() - start
  stop()
  if (state !== 'synced') throw new Error(`It is ${state} ${message ?? ''}`)
  const { total } = await client.listSessions({ limit: 1 })
  if (total < sessions) throw new Error(`Only ${total} sessions came.`)
  const memory = (await memoryUsed()) - before
  await sync.close()
  await client.close()
  return { list, all, memory }
}

/** Of the page and its workers, collected. */
async function memoryUsed(): Promise<number> {
  const { bytes } = await (
    performance as unknown as { measureUserAgentSpecificMemory(): Promise<{ readonly bytes: number }> }
  ).measureUserAgentSpecificMemory()
  return bytes
}
