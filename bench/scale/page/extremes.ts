import { createMemoSession } from '../../../src/agent/create-memo-session.ts'
import type { Session, SessionClient } from '../../../src/client/types.ts'
import { openSync } from '../../../src/sync.ts'
import { inputsBetween, shortMessage } from '../ground.ts'
import type { Extreme } from '../measured.ts'
import { relayTransport } from '../../../src/sync-relay.ts'
import type { RelayStore } from '../../../src/sync/transports/relay/relay-store.ts'
import { timed } from '../../page/timed.ts'

/** What an extreme is done on. */
export interface ExtremePlace {
  open(name: string): Promise<SessionClient>
  readonly say: (text: string) => void
}

type Steps = (name: string, act: () => Promise<unknown>) => Promise<void>

/** Things that nobody does every day, each on a database of its own. */
export async function measureExtremes({ open, say }: ExtremePlace): Promise<readonly Extreme[]> {
  const found: Extreme[] = []
  for (const [title, run] of Object.entries(extremes)) {
    const client = await open(`scale-extreme-${title}`)
    const step: Steps = async (name, act) => {
      let error: string | undefined
      const { time, 'longest task': longestTask } = await timed(() => act().catch((reason: unknown) => (error = String(reason))))
      found.push({ name: `${title}: ${name}`, ms: time, longestTask, ...(error === undefined ? {} : { error }) })
      say(`${title}: ${name}: ${Math.round(time)} ms, longest task ${Math.round(longestTask)} ms${error === undefined ? '' : `, ${error}`}`)
    }
    try {
      await run(client, step)
    } finally {
      await client.close()
    }
  }
  return found
}

const key = 'k'
const mega = 2 ** 20
const expectName = async (name: string, act: Promise<unknown>): Promise<void> => {
  const error = await act.then(() => undefined, (reason: Error) => reason)
  if (error?.name !== name) throw error ?? new Error(`Expected ${name}, and it was done.`)
}
const inRows = async (count: number, width: number, act: (i: number) => Promise<unknown>): Promise<void> => {
  for (let from = 0; from < count; from += width) await Promise.all(Array.from({ length: Math.min(width, count - from) }, (_, i) => act(from + i)))
}
function relayInMemory(): RelayStore {
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  return {
    put: async (path, bytes) => void files.set(path, bytes),
    get: async (path) => files.get(path),
    list: async (prefix) => [...files.keys()].filter((path) => path.startsWith(prefix)),
    remove: async (path) => void files.delete(path),
  }
}
const lined = async (client: SessionClient): Promise<Session> => {
  await client.append(key, inputsBetween(0, 2000), { durability: 'relaxed' })
  return client.session(key)
}

const extremes: Readonly<Record<string, (client: SessionClient, step: Steps) => Promise<void>>> = {
  'a message of megabytes': async (client, step) => {
    const message = { role: 'user', content: 'a word '.repeat((15 * mega) / 7) }
    await step('append of 15 MB', () => client.append(key, [{ type: 'message', message }]))
    await step('reading it', () => client.read(key, { last: 1 }))
    await step('search', () => client.search('word'))
    await step('20 MB are refused by name', () => expectName('TooLarge', client.append(key, [{ type: 'message', message: { role: 'user', content: 'x'.repeat(20 * mega) } }])))
    // Made before: the text of it is the page's own work.
    const blob = new Blob(['x'.repeat(20 * mega)])
    await step('20 MB as a blob', async () => client.getBlob(await client.putBlob(blob)))
    await step('verify', () => client.verify())
  },
  '2,000 branches': async (client, step) => {
    const session = await lined(client)
    const { entries: [last] } = await client.read(key, { last: 1 })
    await step('opening them', () => inRows(2000, 50, () => client.openBranch(key, { after: last!, head: false })))
    await step('append', () => session.append(shortMessage(1)))
    await step('one more branch', () => session.branchAfter(last!))
    await step('switching back', () => session.switchBranch(''))
    await step('branches', () => session.branches())
    await step('tree', () => session.tree())
    await step('previews', () => session.branchPreviews())
    await step('last 50', () => session.page({ last: 50 }))
    await step('a transcript', async () => {
      using transcript = session.transcript()
      await transcript.ready()
    })
  },
  '1,000 checkpoints': async (client, step) => {
    const session = await lined(client)
    await step('making them', () => inRows(1000, 50, (i) => session.checkpoint({ label: `Checkpoint ${i}` })))
    await step('one more', () => session.checkpoint())
    const [first] = await session.checkpoints()
    await step('listing them', () => session.checkpoints())
    await step('restoring the first', () => session.restore(first!.id))
    await step('append', () => session.append(shortMessage(1)))
  },
  '10,000 sessions of one message': async (client, step) => {
    await inRows(10_000, 500, (i) => client.append(`s${i}`, [{ type: 'message', message: shortMessage(i) }], { durability: 'relaxed' }))
    await step('the list', async () => {
      using list = client.sessions()
      await list.ready()
    })
    await step('the first search', () => client.search('fox'))
    await step('retention puts 100 away', () => client.retain({ maxSessions: 9900, action: 'archive' }))
    await step('retention deletes 1,000', () => client.retain({ maxSessions: 9000, action: 'delete' }))
    await step('and purges them', () => client.retain({ purgeDeletedAfterMs: 0 }))
    await step('sync starts and sends them', async () => {
      const sync = openSync(client, { namespace: 'bench', transport: () => relayTransport({ store: relayInMemory() }) })
      await sync.syncNow()
      await sync.close()
    })
    await step('verify', () => client.verify())
  },
  '500 handles': async (client, step) => {
    await lined(client)
    let sessions: readonly Session[] = []
    await step('opening them', async () => (sessions = await Promise.all(Array.from({ length: 500 }, () => client.session(key)))))
    await step('an append by each', () => Promise.all(sessions.map((session, i) => session.append(shortMessage(i)))))
    await step('a transcript of each, until all show an append', async () => {
      const transcripts = sessions.map((session) => session.transcript({ last: 5 }))
      await Promise.all(transcripts.map((transcript) => transcript.ready()))
      const told = Promise.all(transcripts.map((transcript) => new Promise<void>((resolve) => void transcript.subscribe(resolve))))
      await sessions[0]!.append(shortMessage(7))
      await told
      for (const transcript of transcripts) transcript[Symbol.dispose]()
    })
    await step('closing them', () => Promise.all(sessions.map((session) => session.close())))
    await step('a memo session that resizes', () => createMemoSession({ store: client, key }).resize('lite'))
  },
}
