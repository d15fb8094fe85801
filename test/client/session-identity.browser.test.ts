import { afterEach, expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { OpenOptions } from '../../src/client/open-options.ts'
import { openSessionStore } from '../../src/client/opening/open-session-store.ts'
import type { Session } from '../../src/client/session-contract.ts'
import { sessionWorker } from './support/real-worker.ts'

const clients: SessionClient[] = []
async function open(
  routing: NonNullable<OpenOptions['routing']>,
  name = `identity-${crypto.randomUUID()}`,
): Promise<SessionClient> {
  const client = await openSessionStore({ name, routing, modes: ['worker'], worker: sessionWorker })
  clients.push(client)
  return client
}
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

const texts = async (session: Session): Promise<unknown[]> => (await session.messages()).map(({ content }) => content)

it('opens the session of a message, and the same one after a restart', async () => {
  const name = `identity-${crypto.randomUUID()}`
  const client = await open({}, name)
  const session = await client.session({ agentId: 'main', channel: 'web', chatId: 'c1' })
  await session.append({ role: 'user', content: 'hi' })
  expect(session.identity).toMatchObject({ matchedBy: 'default', key: session.key, conflicts: [] })
  await client.close()
  const again = await (await open({}, name)).session({ channel: 'WEB ', chatId: ' C1' })
  expect([again.key, await texts(again)]).toEqual([session.key, ['hi']])
  expect((await again.meta())?.scope).toEqual(session.identity.scope)
})

it('lets a linked person go on from one channel to another, in two tabs at once', async () => {
  const name = `identity-${crypto.randomUUID()}`
  const routing = { session: { identity_links: { alice: ['telegram:111', 'slack:U9'] }, across_channels: true } }
  const [one, other] = [await open(routing, name), await open(routing, name)]
  const [telegram, slack] = await Promise.all([
    one.session({ channel: 'telegram', chatId: '111', chatType: 'direct', senderId: '111' }),
    other.session({ channel: 'slack', chatId: 'D7', chatType: 'direct', senderId: 'U9' }),
  ])
  await telegram.append({ role: 'user', content: 'from telegram' })
  await slack.append({ role: 'user', content: 'from slack' })
  expect(await texts(telegram)).toEqual(['from telegram', 'from slack'])
  expect((await one.listSessions()).total).toBe(1)
})
