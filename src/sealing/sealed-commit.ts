import type { CoreBackend } from '../contract/backend.ts'
import { SessionError } from '../contract/errors.ts'
import type { CommitOutcome, LaneEntries, SessionWrite, WriteBatch } from '../contract/write-batch.ts'
import type { Keys } from './open-keys.ts'
import { sealEdit, sealEntry } from './sealed-entry.ts'
import { sealRowsWrite } from './sealed-row.ts'
import { sealChunk, sealCold, sealHot, sealOperation } from './sealed-rows.ts'
import type { Sealer } from './sealer.ts'

/**
 * The `commit` of an encrypted backend. It seals batches at the same time, but commits them in the order of the calls.
 */
export function createSealedCommit(
  backend: Pick<CoreBackend, 'commit'>,
  keys: Keys,
  sealer: Sealer,
): CoreBackend['commit'] {
  let line: Promise<unknown> = Promise.resolve()

  return async (batch, durability): Promise<CommitOutcome> => {
    for (;;) {
      const { generation } = keys.keyring()
      const sealing = sealBatch(sealer, batch)
      // The caller of the commit gets the error.
      sealing.catch(() => undefined)
      // A batch that is sealed sooner must not commit first: it may have been planned on the batch before.
      const start = line.then(async () => {
        const sealed = await sealing
        return { storing: backend.commit({ ...sealed, sealedWith: generation }, durability) }
      })
      line = start.catch(() => undefined)
      const outcome = await (await start).storing
      if (outcome.stored || outcome.stale.length > 0) return outcome
      await keys.refresh()
      if (keys.keyring().generation === generation) {
        throw new SessionError(
          'StorageUnavailable',
          'The keyring of the store is missing, and with it the key of its content. Open the store again.',
        )
      }
    }
  }
}

async function sealBatch(sealer: Sealer, batch: WriteBatch): Promise<WriteBatch> {
  if (!sealer.isSealing()) return batch
  const [sessions, rows] = await Promise.all([
    Promise.all(batch.sessions.map((write) => sealWrite(sealer, write))),
    batch.rows && sealRowsWrite(sealer, batch.rows),
  ])
  return { ...batch, sessions, ...(rows && { rows }) }
}

async function sealWrite(sealer: Sealer, write: SessionWrite): Promise<SessionWrite> {
  const { session } = write.hot
  const lanes = (given: readonly LaneEntries[]): Promise<readonly LaneEntries[]> =>
    Promise.all(
      given.map(async ({ lane, entries }) => ({
        lane,
        entries: await Promise.all(entries.map((entry) => sealEntry(sealer, session, entry))),
      })),
    )
  const [hot, cold, append, insert, edits, operations, drafts] = await Promise.all([
    sealHot(sealer, write.hot),
    write.cold && sealCold(sealer, session, write.cold),
    lanes(write.append),
    lanes(write.insert),
    Promise.all(
      write.edits.map(async ({ lane, order, mark }) => ({
        lane,
        order,
        mark: await sealEdit(sealer, session, order, mark),
      })),
    ),
    Promise.all(write.operations.map((operation) => sealOperation(sealer, session, operation))),
    Promise.all(
      write.drafts.map(async (draft) =>
        'chunk' in draft
          ? { ...draft, chunk: await sealChunk(sealer, session, draft.draft, draft.n, draft.chunk) }
          : draft,
      ),
    ),
  ])
  return { ...write, hot, ...(cold && { cold }), append, insert, edits, operations, drafts }
}
