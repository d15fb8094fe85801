import type { CoreBackend } from '../contract/backend.ts'
import type { CommitOutcome, SessionErasure, WriteBatch } from '../contract/write-batch.ts'
import type { DatabaseFacts } from '../storage/indexeddb/core-backend.ts'
import type { JournalMarks } from '../storage/indexeddb/journal-marks.ts'
import { wholeText } from './add-frame.ts'
import { drawBoot } from './draw-boot.ts'
import { findSession, type SessionFrame } from './find-session.ts'
import { encodeFrame } from './frame.ts'
import { blobName, mirrorName } from './mirror-names.ts'
import { erasureText, textsOfEntries } from './mirrored-text.ts'
import { opfsDirectory } from './opfs-directory.ts'
import { retryReading } from './retry-reading.ts'
import { withoutBegun } from './without-begun.ts'

/**
 * Makes a backend that runs outside of workers erase from the mirror too. It can't mirror what it stores, but erased
 * entries must not stay in the mirror. It announces the erasure there, so that the entries are never restored, and the
 * next start of a worker overwrites them in the files of workers.
 */
export function mirrorErasures<
  Backend extends CoreBackend & Pick<DatabaseFacts, 'epoch'> & Pick<JournalMarks, 'listJournals'>,
>(backend: Backend, name: string): Backend {
  return {
    ...backend,
    commit: async (batch, durability) => {
      const compacting = purgesIn(batch)
      if (batch.erase.length + compacting.length === 0)
        return withoutBlobs(name, await backend.commit(batch, durability))
      // Without a mirror there is nothing to erase from it.
      const announce = await prepareErasures(name, backend, batch.erase, compacting).catch(() => undefined)
      await announce?.(true)
      try {
        const outcome = await backend.commit(batch, durability)
        // It is announced again, because a start that still found the session in the database may have removed the
        // announcement.
        await announce?.(outcome.stored)
        return await withoutBlobs(name, outcome)
      } catch (error) {
        await announce?.(false)
        throw error
      }
    },
  }
}

/** Removes the blobs that were collected in a commit from the mirror. */
async function withoutBlobs(name: string, outcome: CommitOutcome): Promise<CommitOutcome> {
  if (!outcome.stored || outcome.collected === undefined) return outcome
  // There may be no mirror. A blob file in use is removed when the mirror is next compared with the database.
  const directory = await opfsDirectory(name, false).catch(() => undefined)
  for (const hash of outcome.collected) await directory?.removeEntry(blobName(hash)).catch(() => undefined)
  return outcome
}

/** The texts of a batch's `purge` entries. With them in the mirror, purged entries are never restored from it. */
function purgesIn({ sessions }: WriteBatch): readonly string[] {
  return sessions.flatMap(({ hot, append, insert, erase }) => {
    const entries =
      erase.length === 0
        ? []
        : [...append, ...insert].flatMap((lane) => lane.entries.filter(({ type }) => type === 'purge'))
    return [...textsOfEntries(hot, entries)].map(wholeText)
  })
}

async function readSession(
  handle: FileSystemFileHandle,
  key: string,
): Promise<readonly [File, readonly SessionFrame[]]> {
  const content = await handle.getFile()
  return [content, await findSession(content, key)]
}

/** @returns a function that announces the erasures in a file of its own, or withdraws them */
async function prepareErasures(
  name: string,
  { epoch, listJournals }: Pick<DatabaseFacts, 'epoch'> & Pick<JournalMarks, 'listJournals'>,
  erased: readonly SessionErasure[],
  compacting: readonly string[],
): Promise<(isErased: boolean) => Promise<void>> {
  const directory = await opfsDirectory(name, false)
  const frames = await Promise.all(
    erased.map(async ({ key, session }, i) => {
      const sessions = new Set([session])
      const found: (readonly [File, readonly SessionFrame[]])[] = []
      for await (const [file, handle] of directory.entries()) {
        if (!file.endsWith('.log')) continue
        // One that can't be read must not hide what the others have.
        const read = await retryReading(() => readSession(handle as FileSystemFileHandle, key)).catch(() => undefined)
        if (read !== undefined) found.push(read)
      }
      // Later than the frames: what is stored by then is erased with the session.
      const marks = await listJournals().catch(() => [])
      for (const [file, frames] of found) {
        const place = { read: async () => file, epoch, marks }
        for (const frame of await withoutBegun(place, file.name, { key, session }, frames)) sessions.add(frame.session)
      }
      return encodeFrame({
        kind: 'erased',
        number: i + 1,
        confirmed: i,
        text: erasureText({ key, sessions: [...sessions] }),
      })
    }),
  )
  compacting.forEach((text, i) =>
    frames.push(
      encodeFrame({
        kind: 'entries',
        number: erased.length + i + 1,
        confirmed: erased.length + compacting.length,
        text,
      }),
    ),
  )
  const file = mirrorName({ epoch, boot: drawBoot() })
  const write = async (isErased: boolean): Promise<void> => {
    if (!isErased) return directory.removeEntry(file)
    const writing = await (await directory.getFileHandle(file, { create: true })).createWritable()
    for (const frame of frames) await writing.write(frame)
    await writing.close()
  }
  return (isErased) => write(isErased).catch(() => undefined)
}
