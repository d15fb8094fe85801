import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { allRows, unmeasured } from '../../bench/scale/all-rows.ts'
import { type Ground, layGround, touchOthers } from '../../bench/scale/ground.ts'
import type { NamedRow } from '../../bench/scale/row.ts'
import { deleteSessionStore } from '../../src/client/opening/delete-session-store.ts'
import { createMemoSession } from '../../src/dialects/agently/create-memo-session.ts'
import { createSessionManager } from '../../src/dialects/aixgo/manager/create-session-manager.ts'
import { piSession } from '../../src/dialects/pi/pi-session.ts'
import { openDirectStore } from '../../src/in-page/open-direct-store.ts'
import { countRequests } from './support/count-requests.ts'

// The scale rig in small: `npm run bench -- --case scale` has the same rows in a browser, up to a million messages.
// Here work is counted: the requests to the database, each row of an answer as one.

const few = 200
/** For what goes over all messages, and for what must not notice them: they lie in 188 records. */
const [many, most] = [1500, 12_000]
const [fewSessions, manySessions] = [260, 780]
/**
 * In so many small records the end of a line lies at most, by how many entries were written one by one since they were
 * joined last.
 */
const smallRecords = 64
/**
 * What one call may need more than another for reasons of its own: it may read the end of a line twice. Less than the
 * longest session has in records.
 */
const tolerance = 2 * smallRecords
/** What empties a line makes several calls of the store in turn. */
const toleranceOf = ({ when }: NamedRow): number => (when === 'last' ? 2 * tolerance : tolerance)
const reps = 2

let grounds: { readonly small: Ground; readonly long: Ground; readonly longest: Ground; readonly wide: Ground }
const requests = countRequests()

beforeAll(async () => {
  vi.stubGlobal('indexedDB', new IDBFactory())
  vi.stubGlobal('IDBKeyRange', IDBKeyRange)
  const lay = async (name: string, messages: number, sessions: number): Promise<Ground> => {
    const ground = await layGround(
      { messages, sessions },
      {
        name,
        open: (name, options = {}) => openDirectStore({ ...options, name, modes: ['in-page'], timeoutMs: 30_000 }),
        remove: (name) => deleteSessionStore(name),
      },
    )
    // Whoever has worked for long has had more sessions in hand than are kept.
    await touchOthers(ground, 0, fewSessions)
    return ground
  }
  grounds = {
    small: await lay('small', few, fewSessions),
    long: await lay('long', many, fewSessions),
    longest: await lay('longest', most, fewSessions),
    wide: await lay('wide', few, manySessions),
  }
})

afterAll(async () => {
  for (const { client } of Object.values(grounds)) await client.close()
  requests.restore()
  vi.unstubAllGlobals()
})

/** The requests of each call, the quickest first. */
async function costOf(row: NamedRow, ground: Ground): Promise<readonly number[]> {
  const costs: number[] = []
  for (let rep = 0; rep < (row.isOnce || row.messages === 'linear' || row.name.includes('500') ? 1 : reps); rep++) {
    const prepared = await row.prepare?.(ground)
    const before = requests.read()
    const result = await row.run(ground, prepared, { signal: new AbortController().signal, told: () => undefined })
    costs.push(requests.read() - before)
    await row.tidy?.(ground, prepared, result)
  }
  return costs.sort((a, b) => a - b)
}

/**
 * What a call costs at least is its own: what else is at work in the same moment can only add to it, so that more is
 * looked at a few times again.
 */
async function expectWithin(
  row: NamedRow,
  ground: Ground,
  costs: readonly number[],
  limit: number,
  where: string,
): Promise<void> {
  let least = costs[0]!
  for (let again = 0; again < 3 && least > limit && row.isOnce !== true; again++)
    least = Math.min(least, (await costOf(row, ground))[0]!)
  expect(least, where).toBeLessThanOrEqual(limit)
}

const inOrder = [undefined, 'late', 'last'].flatMap((when) => allRows.filter((row) => row.when === when))

describe('what a call asks of the database', () => {
  it.each(inOrder.map((row) => [row.name, row.messages, row.sessions, row] as const))(
    '%s: %s by messages, %s by sessions',
    async (_name, byMessages, bySessions, row) => {
      const small = await costOf(row, grounds.small)
      const isLinear = byMessages === 'linear'
      const long = await costOf(row, isLinear ? grounds.long : grounds.longest)
      const wide = await costOf(row, grounds.wide)
      // Hundreds of views differ by some more.
      const limit = (growth: string, factor: number): number =>
        growth === 'flat' ? small.at(-1)! * 1.25 + toleranceOf(row) : (small.at(-1)! + smallRecords) * factor * 1.5
      await expectWithin(
        row,
        isLinear ? grounds.long : grounds.longest,
        long,
        limit(isLinear ? 'linear' : 'flat', many / few),
        'with many more messages',
      )
      await expectWithin(
        row,
        grounds.wide,
        wide,
        limit(bySessions, manySessions / fewSessions),
        'with 3 times the sessions',
      )
    },
  )
})

it('measures every method that an object has', async () => {
  const { client, session } = grounds.small
  const transcript = session.transcript()
  const stream = session.stream()
  await Promise.all([transcript.ready(), stream.id])
  const manager = createSessionManager(client)
  const specimens = {
    SessionStore: [client.store],
    SessionClient: [client],
    ClientFiles: [client.files],
    ClientUpkeep: [client.upkeep],
    Session: [session],
    SessionBranches: [session.branches],
    SessionCheckpoints: [session.checkpoints],
    PiSession: [piSession(session)],
    Transcript: [transcript],
    MessageStream: [stream],
    SessionManager: [manager],
    MemoSession: [createMemoSession({ store: client.store, session })],
  }
  expect(unmeasured(specimens)).toEqual([])
  transcript[Symbol.dispose]()
  await stream.abort({ keep: false })
})

it('finds a method that no row measures', () => {
  expect(
    unmeasured({
      SessionClient: [{ append: () => undefined, levitate: () => undefined }],
      Session: [{ [Symbol('vanish')]: () => undefined }],
    }),
  ).toEqual(['SessionClient.levitate', 'Session.[vanish]'])
})
