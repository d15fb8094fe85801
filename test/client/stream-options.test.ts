import { afterEach, expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { MessageStream, StreamOptions } from '../../src/client/message-stream-types.ts'
import type { Session } from '../../src/client/session-contract.ts'
import { createProfile } from './support/open-port-client.ts'

interface OptionCase {
  /** A value of another type than the option takes. */
  readonly wrong: unknown
  /** Streams a reply with the option, and says what shows that it was used, and what that should be. */
  readonly use: (session: Session) => Promise<readonly [found: unknown, expected: unknown]>
}

/** The compiler asks for a case of a new option. */
const cases: Readonly<Record<keyof StreamOptions, OptionCase>> = {
  role: {
    wrong: 5,
    use: async (session) => [(await answer(session, { role: 'user' })).at(-1)?.message, { role: 'user', content: 'a' }],
  },
  mid: { wrong: 5, use: async (session) => [(await answer(session, { mid: 'm1' })).at(-1)?.mid, 'm1'] },
  operationId: {
    wrong: 5,
    use: async (session) => {
      const cut = session.stream({ operationId: 'turn' })
      cut.write('not all of it')
      await cut.abort()
      await answer(session, { operationId: 'turn' })
      return [(await answer(session, { operationId: 'turn' })).length, 3]
    },
  },
  branch: {
    wrong: 5,
    use: async (session) => {
      const [question] = (await session.page({ last: 1 })).entries
      const { id } = await session.branches.after(question!)
      await session.branches.switchTo('')
      return [(await answer(session, { branch: id }, id)).map(({ branch }) => branch), ['', id]]
    },
  },
  resume: {
    wrong: {},
    use: async (session) => {
      const cut = session.stream()
      cut.write('half ')
      await cut.abort()
      const [resume] = await session.interrupted()
      return [(await answer(session, { resume: resume! })).at(-1)?.message?.content, 'half a']
    },
  },
}

async function answer(session: Session, options: StreamOptions, branch = '') {
  const reply = session.stream(options)
  reply.write('a')
  await reply.end()
  return (await session.page({ last: 9, branch })).entries
}

const clients: SessionClient[] = []
async function open(): Promise<Session> {
  const client = await createProfile().open({ name: `options-${Math.random()}` })
  clients.push(client)
  const session = await client.session('k')
  await session.append({ role: 'user', content: 'q' })
  return session
}
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

it.each(Object.entries(cases))('refuses a wrong type of the option %s', async (name, { wrong }) => {
  const session = await open()
  let reply: MessageStream | undefined
  const begin = async () => (reply = session.stream({ [name]: wrong } as StreamOptions)).id
  await expect(begin()).rejects.toMatchObject({ name: expect.stringMatching(/^(TypeError|InvalidInput)$/) as unknown })
  await reply?.abort()
})

it.each(Object.entries(cases))('uses the option %s', async (_, { use }) => {
  const [found, expected] = await use(await open())
  expect(found).toEqual(expected)
})
