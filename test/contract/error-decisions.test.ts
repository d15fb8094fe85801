import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type OpenedStore, openLadder } from '../../src/client/opening/ladder.ts'
import { createChangeFeed } from '../../src/client/session/change-feed.ts'
import { createDraftJournal } from '../../src/client/session/draft-journal.ts'
import { SessionError, type SessionErrorName } from '../../src/contract/errors.ts'
import { exportArchive } from '../../src/formats/export-archive.ts'
import { restoreArchive } from '../../src/formats/restore-archive.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'

interface Decision {
  /** A mode can't be opened because of it: try the next one, or tell the app? */
  readonly opening: 'next' | 'stop'
  /** A piece of a reply could not be stored because of it: try again, or wait for the end of the stream? */
  readonly stream: 'retry' | 'stop'
  /** A session of an archive could not be restored because of it: leave that file out, or give up? */
  readonly archive: 'skip' | 'stop'
}

/** The compiler asks for the decisions about a new error. */
const decisions: Readonly<Record<SessionErrorName, Decision>> = {
  SessionNotFound: { opening: 'next', stream: 'stop', archive: 'stop' },
  CheckpointNotFound: { opening: 'next', stream: 'retry', archive: 'stop' },
  StorageClosed: { opening: 'next', stream: 'stop', archive: 'stop' },
  InvalidPathComponent: { opening: 'next', stream: 'retry', archive: 'stop' },
  SessionNotInContext: { opening: 'next', stream: 'retry', archive: 'stop' },
  InvalidInput: { opening: 'stop', stream: 'stop', archive: 'skip' },
  TooLarge: { opening: 'next', stream: 'stop', archive: 'skip' },
  QuotaExceeded: { opening: 'next', stream: 'retry', archive: 'stop' },
  OperationConflict: { opening: 'next', stream: 'retry', archive: 'stop' },
  ParentMoved: { opening: 'next', stream: 'stop', archive: 'stop' },
  AliasConflict: { opening: 'next', stream: 'retry', archive: 'stop' },
  HandlerMissing: { opening: 'next', stream: 'retry', archive: 'stop' },
  ChecksumMismatch: { opening: 'next', stream: 'retry', archive: 'skip' },
  VersionConflict: { opening: 'stop', stream: 'retry', archive: 'stop' },
  UpgradeBlocked: { opening: 'stop', stream: 'retry', archive: 'stop' },
  DataLoss: { opening: 'next', stream: 'retry', archive: 'stop' },
  NotLeader: { opening: 'next', stream: 'retry', archive: 'stop' },
  WorkerLost: { opening: 'next', stream: 'retry', archive: 'stop' },
  Aborted: { opening: 'next', stream: 'retry', archive: 'stop' },
  WrongPassphrase: { opening: 'stop', stream: 'retry', archive: 'stop' },
  Unsent: { opening: 'next', stream: 'retry', archive: 'stop' },
  AccessDenied: { opening: 'next', stream: 'stop', archive: 'stop' },
  Quarantined: { opening: 'next', stream: 'retry', archive: 'stop' },
  StorageUnavailable: { opening: 'next', stream: 'retry', archive: 'skip' },
}

const cases = Object.entries(decisions).map(
  ([name, decision]) => [new SessionError(name as SessionErrorName, 'for the test'), decision] as const,
)

it.each(cases)('opens the next mode after $name, unless that would hide the sessions', async (error, { opening }) => {
  const feed = createChangeFeed()
  const attempt = { name: 'n', timeoutMs: 1000, feed, mirror: false, encryption: undefined, owner: undefined }
  const opened = openLadder(
    (mode) => (mode === 'worker' ? () => Promise.reject(error) : async () => ({ store: {} as OpenedStore['store'] })),
    ['worker', 'memory'],
    attempt,
  ).finally(feed.close)
  if (opening === 'next') expect(await opened).toMatchObject({ mode: 'memory' })
  else await expect(opened).rejects.toBe(error)
})

describe('the journal of a reply', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  it.each(cases)('writes a piece again after $name, unless that never helps', async (error, { stream }) => {
    let writes = 0
    const journal = createDraftJournal(async () => {
      if (writes++ === 0) throw error
    }, 0)
    journal.add({ type: 'text', text: 'piece' })
    await vi.runAllTimersAsync()
    expect(writes).toBe(stream === 'retry' ? 2 : 1)
    await journal.stop()
  })
})

it.each(cases)('restores the other files after $name, if it is the fault of one', async (error, { archive }) => {
  const [store, other] = [createSessionStore(createMemoryBackend()), createSessionStore(createMemoryBackend())]
  for (const key of ['bad', 'good']) await store.addMessage(key, 'user', 'hello')
  const getMeta: typeof other.getMeta = (key) => (key === 'bad' ? Promise.reject(error) : other.getMeta(key))
  const chunks: Uint8Array<ArrayBuffer>[] = []
  for await (const chunk of exportArchive(store)) chunks.push(chunk)
  const restored = restoreArchive({ ...other, getMeta }, new Blob(chunks))
  if (archive === 'skip') expect(await restored).toMatchObject({ keys: ['good'], skippedCount: 1 })
  else await expect(restored).rejects.toBe(error)
  await store.close()
  await other.close()
})
