import workerUrl from 'virtual:session-worker-url'
import { afterEach, expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import { openSessionStore } from '../../src/client/opening/open-session-store.ts'
import { openSync } from '../../src/sync-client/open-sync.ts'
import type { DeviceSync } from '../../src/sync-client/sync-types.ts'
import { workerOf } from '../client/support/real-worker.ts'

const workerSource = await (await fetch(workerUrl)).text()

/** A worker to which news of other tabs is on its way for ever. */
const deaf = `
  globalThis.BroadcastChannel = class { postMessage() {} close() {} }
  ${workerSource}`

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function openDevice(
  source: string,
  port: MessagePort,
): Promise<{ readonly client: SessionClient; readonly sync: DeviceSync }> {
  const client = await openSessionStore({
    name: `sync-now-${crypto.randomUUID()}`,
    modes: ['worker'],
    worker: () => workerOf(source),
  })
  const sync = openSync(client, { namespace: 'n', transport: { kind: 'port', open: () => port } })
  open.push(client, sync)
  return { client, sync }
}

it('whoever awaited syncNow reads all that came, though the worker of the store has not heard of it yet', async () => {
  const { port1, port2 } = new MessageChannel()
  const here = await openDevice(deaf, port1)
  await here.client.store.addMessage('both', 'user', 'from here')
  // From now on they are known to the worker, and not looked up.
  await here.client.listSessions()
  await here.client.store.getHistory('both')
  const there = await openDevice(workerSource, port2)
  await there.client.store.addMessage('theirs', 'user', 'from there')
  await there.client.store.addMessage('both', 'user', 'and from there')
  await Promise.all([here.sync.syncNow(), there.sync.syncNow()])
  await here.sync.syncNow()
  expect((await here.client.listSessions()).sessions.map(({ key }) => key).sort()).toEqual(['both', 'theirs'])
  expect((await here.client.store.getHistory('both')).map(({ content }) => content).sort()).toEqual([
    'and from there',
    'from here',
  ])
})
