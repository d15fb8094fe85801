import { afterEach, describe, expect, it } from 'vitest'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import type { SummaryRequest } from '../../../src/client/context/context-types.ts'
import { openSessionStore } from '../../../src/client/opening/open-session-store.ts'
import type { Session } from '../../../src/client/session-contract.ts'
import { createWorkerFactory, sessionWorker } from '../support/real-worker.ts'

const clients: SessionClient[] = []
/** One tab: a client with a worker of its own. */
async function openTab(
  name: string,
  worker: () => Worker = sessionWorker,
): Promise<{ readonly client: SessionClient; readonly session: Session }> {
  const client = await openSessionStore({ name, modes: ['worker'], worker })
  clients.push(client)
  return { client, session: await client.session('s') }
}
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

const nameOf = (): string => `context-${crypto.randomUUID()}`
const say = async (session: Session, from: number, to: number): Promise<void> => {
  const numbers = Array.from({ length: to - from }, (_, i) => from + i)
  await session.appendAll(
    numbers.flatMap((n) =>
      [`q${n}`, `a${n}`].map((content, i) => ({
        type: 'message' as const,
        message: { role: i === 0 ? 'user' : 'assistant', content },
      })),
    ),
  )
}
const contextOf = async (session: Session): Promise<unknown> =>
  (await session.context({ system: 'apart' })).messages.map(({ content }) => content).join(' ')
const summarise = ({ messages }: SummaryRequest): string => messages.map(({ content }) => content).join(' ')
const options = { summarise, force: true, keepTurns: 2 }
const compactions = async (client: SessionClient): Promise<number> =>
  (await client.store.changes('s')).entries.filter(({ type }) => type === 'compaction').length

describe('two tabs on one session', () => {
  it('lose no message that one appends while the other compacts', async () => {
    const name = nameOf()
    const [one, other] = [await openTab(name), await openTab(name)]
    await say(one.session, 0, 4)
    const outcome = await one.session.compact({
      ...options,
      summarise: async (request) => {
        await say(other.session, 4, 5)
        return summarise(request)
      },
    })
    expect(outcome).toMatchObject({ status: 'compacted', summary: 'q0 a0 q1 a1' })
    for (const { session } of [one, other]) {
      expect(await contextOf(session)).toBe('q2 a2 q3 a3 q4 a4')
      expect((await session.context()).summary).toBe('q0 a0 q1 a1')
    }
  })

  it('make one summary when both compact at once, by key or by alias', async () => {
    const name = nameOf()
    const [one, other] = [await openTab(name), await openTab(name)]
    await one.client.store.updateMeta('s', { aliases: ['other name'] })
    await say(one.session, 0, 6)
    const running = { now: 0, most: 0 }
    const slow = async (request: SummaryRequest): Promise<string> => {
      running.most = Math.max(running.most, ++running.now)
      await new Promise((resolve) => setTimeout(resolve, 50))
      running.now -= 1
      return summarise(request)
    }
    const outcomes = await Promise.all(
      [one.session, other.session, await other.client.session('other name')].map((session) =>
        session.compact({ ...options, summarise: slow }),
      ),
    )
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['compacted', 'superseded', 'superseded'])
    expect([running.most, await compactions(other.client)]).toEqual([1, 1])
    expect(await contextOf(other.session)).toBe('q4 a4 q5 a5')
  })

  it('know of a title that the other chooses while one is made', async () => {
    const name = nameOf()
    const [one, other] = [await openTab(name), await openTab(name)]
    await say(one.session, 0, 1)
    await one.session.suggestTitle(async () => {
      await other.session.rename('Mine')
      return 'A talk'
    })
    expect(await other.session.meta()).toMatchObject({ title: 'Mine', titleSource: 'user' })
  })
})

it('compacts although its worker is killed while the summary is made', async () => {
  const { made, make } = createWorkerFactory()
  const { client, session } = await openTab(nameOf(), make)
  await say(session, 0, 4)
  const outcome = await session.compact({
    ...options,
    summarise: (request) => {
      made[0]!.terminate()
      return summarise(request)
    },
  })
  expect(outcome).toMatchObject({ status: 'compacted' })
  expect([await contextOf(session), await compactions(client)]).toEqual(['q2 a2 q3 a3', 1])
})
