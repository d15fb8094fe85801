import { afterEach } from 'vitest'
import type { SessionClient } from '../../../../src/client/client-contract.ts'
import type { Session } from '../../../../src/client/session-contract.ts'
import type { EntryView } from '../../../../src/contract/entry.ts'
import type { Message } from '../../../../src/contract/message.ts'
import { createProfile } from '../../support/open-port-client.ts'

const clients: SessionClient[] = []
const profile = createProfile()
let names = 0

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

/** A client over ports, with a database of its own unless it is named. */
export async function openClient(name = `branches-${names++}`): Promise<SessionClient> {
  const client = await profile.open({ name })
  clients.push(client)
  return client
}

/** A session with these messages, and the entries they became. */
export async function openSession(
  ...messages: readonly Message[]
): Promise<{ readonly client: SessionClient; readonly session: Session; readonly entries: readonly EntryView[] }> {
  const client = await openClient()
  const session = await client.session('k')
  if (messages.length > 0) await session.appendAll(messages.map((message) => ({ type: 'message', message })))
  return { client, session, entries: await entriesOf(session) }
}

export const user = (content: string): Message => ({ role: 'user', content })
export const assistant = (content: string): Message => ({ role: 'assistant', content })

export async function entriesOf(session: Session, branch?: string): Promise<readonly EntryView[]> {
  return (await session.page({ after: '', limit: 4096, ...(branch === undefined ? {} : { branch }) })).entries
}

/** What the messages of a line say. Default: of the head. */
export async function textsOf(session: Session, branch?: string): Promise<unknown[]> {
  return (await entriesOf(session, branch)).flatMap(({ message }) => (message === undefined ? [] : [message.content]))
}
