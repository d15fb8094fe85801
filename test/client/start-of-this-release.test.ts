import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { OpeningAttempt } from '../../src/client/opening/ladder.ts'
import { startOfThisRelease } from '../../src/client/opening/start-of-this-release.ts'
import { createChangeFeed } from '../../src/client/session/change-feed.ts'
import type { WorkerConnection, WorkerLike } from '../../src/client/worker/connect-worker.ts'
import { startElsewhere } from '../../src/client/worker/start-elsewhere.ts'
import { SessionError } from '../../src/contract/errors.ts'

const conflict = new SessionError('VersionConflict', 'Newer code wrote it.')
const otherProtocol = new SessionError(
  'StorageUnavailable',
  'The page uses protocol 1, the worker 2: they are of different releases. Serve both from one.',
  { cause: { keepsession: 'failed', protocol: 2 } },
)
const connection = {} as WorkerConnection
const attempt: OpeningAttempt = {
  name: 'n',
  timeoutMs: 1000,
  feed: createChangeFeed(),
  mirror: false,
  encryption: undefined,
  owner: undefined,
}
const ownFile = (): WorkerLike => {
  throw new Error('not made here')
}

// There are workers here, which nobody makes.
beforeEach(() => void vi.stubGlobal('Worker', class {}))
afterEach(() => void vi.unstubAllGlobals())

/** Starts every worker but one of its own file, which fails. */
function startingOthers(error: Error) {
  const asked: ('own' | 'other')[] = []
  const start = async (make: () => WorkerLike): Promise<WorkerConnection> => {
    asked.push(make === ownFile ? 'own' : 'other')
    if (make === ownFile) throw error
    return connection
  }
  return { asked, start }
}

it('takes the worker of its own release for a first one whose file is too old for what is stored', async () => {
  const { asked, start } = startingOthers(conflict)
  expect(await startElsewhere(conflict, attempt, ownFile, start)).toBe(connection)
  expect(asked).toEqual(['other'])
})

it.each([
  ['too old', conflict],
  ['of another protocol', otherProtocol],
])('takes it for one that was lost, when its file is %s by now', async (_, error) => {
  const { asked, start } = startingOthers(error)
  expect(await startOfThisRelease({ attempt, isLent: false, start }, ownFile)).toBe(connection)
  expect(asked).toEqual(['own', 'other'])
})

it.each([
  ['something else is wrong', new SessionError('StorageUnavailable', 'The worker did not start.'), false],
  ['the worker is the app’s', conflict, true],
])('does not where %s', async (_, error, isLent) => {
  const { asked, start } = startingOthers(error)
  await expect(startOfThisRelease({ attempt, isLent, start }, ownFile)).rejects.toBe(error)
  expect(asked).toEqual(['own'])
})

it('says what was said first where that of its own release does no better', async () => {
  const fails = async (): Promise<WorkerConnection> =>
    Promise.reject(new SessionError('VersionConflict', 'This one as well.'))
  await expect(startElsewhere(conflict, attempt, ownFile, fails)).rejects.toBe(conflict)
  vi.unstubAllGlobals()
  await expect(startElsewhere(conflict, attempt, ownFile, async () => connection)).rejects.toBe(conflict)
})
