import type { SessionClient } from '../../../src/client/client-contract.ts'
import type { Session } from '../../../src/client/session-contract.ts'
import { createMemoSession } from '../../../src/dialects/agently/create-memo-session.ts'
import { inputsBetween, shortMessage } from '../ground.ts'
import type { Extreme } from '../measured.ts'
import type { TaskWatch } from '../watch-tasks.ts'
import { meetAnotherDevice } from './another-device.ts'

/** What an extreme is done on. */
export interface ExtremePlace {
  open(name: string): Promise<SessionClient>
  readonly say: (text: string) => void
  readonly tasks: TaskWatch
}

interface StepOptions {
  /** Why the page itself is busy for longer than 50 ms. */
  readonly isWhole?: string
}
type Steps = (name: string, act: () => Promise<unknown>, options?: StepOptions) => Promise<void>
type RunExtreme = (client: SessionClient, step: Steps, open: () => Promise<SessionClient>) => Promise<void>

/** What the extremes of this page are called. */
export const extremeTitles = (): readonly string[] => Object.keys(extremes)

/** One of the things that nobody does every day, on a database of its own. */
export async function measureExtreme(title: string, { open, say, tasks }: ExtremePlace): Promise<readonly Extreme[]> {
  const found: Extreme[] = []
  const name = `scale-extreme-${title}`
  const client = await open(name)
  const step: Steps = async (name, act, { isWhole } = {}) => {
    let error: string | undefined
    await tasks.begin()
    const start = performance.now()
    await act().catch((reason: unknown) => (error = String(reason)))
    const ms = performance.now() - start
    const { busy, longest } = await tasks.end()
    found.push({
      name: `${title}: ${name}`,
      ms,
      busy,
      longestTask: longest,
      ...(error === undefined ? {} : { error }),
      ...(isWhole === undefined ? {} : { isWhole }),
    })
    say(
      `${title}: ${name}: ${Math.round(ms)} ms, longest task ${Math.round(longest)} ms, of them ${Math.round(busy)} at work${error === undefined ? '' : `, ${error}`}`,
    )
  }
  try {
    await extremes[title]!(client, step, () => open(`${name}-beside`))
  } finally {
    await client.close()
  }
  return found
}

const key = 'k'
const mega = 2 ** 20
const expectName = async (name: string, act: Promise<unknown>): Promise<void> => {
  const error = await act.then(
    () => undefined,
    (reason: Error) => reason,
  )
  if (error?.name !== name) throw error ?? new Error(`Expected ${name}, and it was done.`)
}
const inRows = async (count: number, width: number, act: (i: number) => Promise<unknown>): Promise<void> => {
  for (let from = 0; from < count; from += width)
    await Promise.all(Array.from({ length: Math.min(width, count - from) }, (_, i) => act(from + i)))
}
const lined = async (client: SessionClient): Promise<Session> => {
  await client.store.append(key, inputsBetween(0, 2000), { durability: 'relaxed' })
  return client.session(key)
}

const layMany = (client: SessionClient): Promise<void> =>
  inRows(10_000, 500, (i) =>
    client.store.append(`s${i}`, [{ type: 'message', message: shortMessage(i) }], { durability: 'relaxed' }),
  )

const extremes: Readonly<Record<string, RunExtreme>> = {
  'a message of megabytes': async (client, step) => {
    const message = { role: 'user', content: 'a word '.repeat((15 * mega) / 7) }
    await step('append of 15 MB', () => client.store.append(key, [{ type: 'message', message }]), {
      isWhole: 'the text is copied out of the page',
    })
    await step('reading it', () => client.store.read(key, { last: 1 }))
    await step('search', () => client.search('word'))
    await step(
      '20 MB are refused by name',
      () =>
        expectName(
          'TooLarge',
          client.store.append(key, [{ type: 'message', message: { role: 'user', content: 'x'.repeat(20 * mega) } }]),
        ),
      { isWhole: 'the text is copied out of the page' },
    )
    // Made before: the text of it is the page's own work.
    const blob = new Blob(['x'.repeat(20 * mega)])
    await step('20 MB as a blob', async () => client.blobs.get(await client.blobs.put(blob)))
    await step('verify', () => client.store.verify())
  },
  '2,000 branches': async (client, step) => {
    const session = await lined(client)
    const {
      entries: [last],
    } = await client.store.read(key, { last: 1 })
    await step('opening them', () =>
      inRows(2000, 50, () => client.store.openBranch(key, { after: last!, head: false })),
    )
    await step('append', () => session.append(shortMessage(1)))
    await step('one more branch', () => session.branches.after(last!))
    await step('switching back', () => session.branches.switchTo(''))
    await step('branches', () => session.branches.list())
    await step('tree', () => session.branches.tree())
    await step('previews', () => session.branches.previews())
    await step('last 50', () => session.page({ last: 50 }))
    await step('a transcript', async () => {
      using transcript = session.transcript()
      await transcript.ready()
    })
  },
  '1,000 checkpoints': async (client, step) => {
    const session = await lined(client)
    await step('making them', () => inRows(1000, 50, (i) => session.checkpoints.create({ label: `Checkpoint ${i}` })))
    await step('one more', () => session.checkpoints.create())
    const [first] = await session.checkpoints.list()
    await step('listing them', () => session.checkpoints.list())
    await step('restoring the first', () => session.checkpoints.restore(first!.id))
    await step('append', () => session.append(shortMessage(1)))
  },
  '10,000 sessions, synced': async (client, step, open) => {
    await layMany(client)
    await step('until another device has all', () => meetAnotherDevice(client, open))
  },
  '10,000 sessions of one message': async (client, step) => {
    await layMany(client)
    await step('the list', async () => {
      using list = client.sessions()
      await list.ready()
    })
    await step('2,000 appends over 10 of them, at once', () =>
      Promise.all(
        Array.from({ length: 2000 }, (_, i) =>
          client.store.append(`s${i % 10}`, [{ type: 'message', message: shortMessage(i) }]),
        ),
      ),
    )
    await step('one more append', () => client.store.append('s5', [{ type: 'message', message: shortMessage(5) }]))
    await step('the first search', () => client.search('fox'))
    await step('the next search', () => client.search('fox'))
    await step('retention puts 100 away', () => client.upkeep.retain({ maxSessions: 9900, action: 'archive' }))
    await step('retention deletes 1,000', () => client.upkeep.retain({ maxSessions: 9000, action: 'delete' }))
    await step('and purges them', () => client.upkeep.retain({ purgeDeletedAfterMs: 0 }))
    await step('verify', () => client.store.verify())
    // That ends with holding the database against its mirror, as a page does five seconds after it was opened.
    await step('repair, and the mirror is tidied', async () => client.upkeep.repair())
  },
  '500 handles': async (client, step) => {
    await lined(client)
    let sessions: readonly Session[] = []
    await step(
      'opening them',
      async () => (sessions = await Promise.all(Array.from({ length: 500 }, () => client.session(key)))),
    )
    await step('an append by each', () => Promise.all(sessions.map((session, i) => session.append(shortMessage(i)))))
    await step('a transcript of each, until all show an append', async () => {
      const transcripts = sessions.map((session) => session.transcript({ last: 5 }))
      await Promise.all(transcripts.map((transcript) => transcript.ready()))
      const told = Promise.all(
        transcripts.map((transcript) => new Promise<void>((resolve) => void transcript.subscribe(resolve))),
      )
      await sessions[0]!.append(shortMessage(7))
      await told
      for (const transcript of transcripts) transcript[Symbol.dispose]()
    })
    await step('closing them', () => Promise.all(sessions.map((session) => session.close())))
    await step('a memo session that resizes', () => createMemoSession({ store: client.store, key }).resize('lite'))
  },
}
