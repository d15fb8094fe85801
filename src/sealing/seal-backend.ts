import type { CommitOutcome, CoreBackend, LaneEntries, PlacedEntries, RangeResult, RowSalvage, SessionRemains, SessionWrite, StorageBackend, StoredDraft, WriteBatch } from '../contract/backend.ts'
import { isSessionError, SessionError } from '../contract/errors.ts'
import type { ColdRow, HotRow, SessionRows, StoredEntry } from '../contract/rows.ts'
import { damagedRow } from '../storage/damaged-row.ts'
import type { Keys } from './open-keys.ts'
import { sealBlob, unsealBlob } from './sealed-blob.ts'
import { midPlace, sealEdit, sealEntry, unsealEntry } from './sealed-entry.ts'
import { sealChunk, sealCold, sealHot, sealOperation, unsealChunk, unsealCold, unsealHot, unsealOperation, unsealRows } from './sealed-rows.ts'
import { createSealer, type Sealer, Unsealable } from './sealer.ts'

type SealableBackend = CoreBackend & Partial<Pick<StorageBackend, 'setAside' | 'spareBlob'>>

/**
 * A backend that keeps what goes into it encrypted. Outside of the transactions, because to await anything else ends those: entry by entry,
 * so that they can be packed, moved and mirrored as they are. What can't be opened counts as unreadable.
 */
export function sealBackend<Backend extends SealableBackend>(backend: Backend, keys: Keys): Backend {
  const sealer = createSealer(keys)
  let line: Promise<unknown> = Promise.resolve()

  async function commitInOrder(batch: WriteBatch, durability: Parameters<CoreBackend['commit']>[1]): Promise<CommitOutcome> {
    for (;;) {
      const { generation } = keys.keyring()
      const sealing = sealBatch(sealer, batch)
      // Whoever waits for the commit hears of it.
      sealing.catch(() => undefined)
      // One that is sealed sooner must not overtake: it may have been planned on the one before.
      const start = line.then(async () => {
        const sealed = await sealing
        return { storing: backend.commit({ ...sealed, sealedWith: generation }, durability) }
      })
      line = start.catch(() => undefined)
      const outcome = await (await start).storing
      if (outcome.stored || outcome.stale.length > 0) return outcome
      await keys.refresh()
      if (keys.keyring().generation === generation) throw new SessionError('StorageUnavailable', 'The keyring of the store is gone, and with it the key that its content is encrypted with. Open it again.')
    }
  }

  const readRange: CoreBackend['readRange'] = async (read) => {
    const found = await backend.readRange(read)
    return unsealRange(sealer, read.session, found)
  }

  return {
    ...backend,
    loadSession: async (key) => {
      const rows = await backend.loadSession(key)
      return rows && unsealRows(sealer, rows).catch(unlessUnsealable(() => {
        throw damagedRow(key, 'hot')
      }))
    },
    listSessions: async (onDamaged) => {
      const rows = await backend.listSessions(onDamaged)
      const open = await Promise.all(rows.map((hot) => unsealHot(sealer, hot).catch(unlessUnsealable(() => void onDamaged?.(hot.key)))))
      return open.filter((hot): hot is HotRow => hot !== undefined)
    },
    ...(backend.salvage && { salvage: sealSalvage(backend.salvage, keys, sealer) }),
    readRange,
    ...(backend.readPlaces && {
      readPlaces: async (asked) => {
        const places = await backend.readPlaces!(asked)
        return Promise.all(places.map((one, i) => one && unsealPlaces(sealer, asked[i]!.session, one)))
      },
    } satisfies Pick<CoreBackend, 'readPlaces'>),
    findByMid: async (session, mids) => {
      const tokens = await Promise.all(mids.map(async (mid) => [mid, ...(await sealer.tokens(midPlace(session, mid)))]))
      const found = await backend.findByMid(session, [...new Set(tokens.flat())])
      const { entries } = await unsealRange(sealer, session, { entries: found, more: false, unreadable: [] })
      return entries.filter(({ data }) => mids.includes(data['mid'] as string))
    },
    findOperation: async (session, id) => {
      const found = await backend.findOperation(session, id)
      return found && unsealOperation(sealer, session, found).catch(unlessUnsealable(() => undefined))
    },
    loadDrafts: async (session) => Promise.all((await backend.loadDrafts(session)).map((draft) => unsealDraft(sealer, session, draft))),
    commit: (batch, durability) => commitInOrder(batch, durability),
    putBlob: async (hash, blob, at) => {
      await keys.refresh()
      await backend.putBlob(hash, sealer.isSealing() ? await sealBlob(sealer, hash, blob) : blob, at, blob.size)
    },
    getBlob: async (hash) => {
      const blob = await backend.getBlob(hash)
      return blob && unsealBlob(sealer, hash, blob)
    },
    ...(backend.spareBlob && {
      // One that can't be opened is no copy.
      spareBlob: async (hash: string) => {
        const blob = await backend.spareBlob!(hash)
        return blob && unsealBlob(sealer, hash, blob).catch((error: unknown) => (isSessionError(error, 'ChecksumMismatch') ? undefined : Promise.reject(error)))
      },
    }),
    ...(backend.setAside && {
      setAside: async (session: number, lane: number, record: string) => {
        const { unreadable } = await readRange({ session, lane, from: record, to: record })
        await backend.setAside!(session, lane, record, unreadable)
      },
    }),
  }
}

/** Rows that can't be opened are damaged, however sound they look from below. */
function sealSalvage(salvage: RowSalvage, keys: Keys, sealer: Sealer): RowSalvage {
  const openHot = (hot: HotRow | undefined): Promise<HotRow | undefined> => (hot === undefined ? Promise.resolve(undefined) : unsealHot(sealer, hot).catch(unlessUnsealable(() => undefined)))
  const openCold = (session: number, cold: ColdRow | undefined): Promise<ColdRow | undefined> =>
    cold === undefined ? Promise.resolve(undefined) : unsealCold(sealer, session, cold).catch(unlessUnsealable(() => undefined))

  return {
    findRemains: async (key) => {
      const found = await salvage.findRemains(key)
      if (found === undefined) return undefined
      const { hot: sealedHot, cold: sealedCold, ...rest } = found
      const [hot, cold] = await Promise.all([openHot(sealedHot), openCold(found.session, sealedCold)])
      return { ...rest, ...(hot && { hot }), ...(cold && { cold }) } satisfies SessionRemains
    },
    replaceRows: async ({ hot, cold }) => {
      // What is sealed with a key that is changed just now is written anew with the rest.
      await keys.refresh()
      const found = await salvage.findRemains(hot.key)
      const [heldHot, heldCold] = await Promise.all([openHot(found?.hot), openCold(hot.session, found?.cold)])
      const broken = {
        ...(found?.hot !== undefined && heldHot === undefined ? { hot: found.hot.version } : {}),
        ...(found?.cold !== undefined && heldCold === undefined ? { cold: found.cold.version } : {}),
      }
      if (!sealer.isSealing()) return salvage.replaceRows({ hot, cold }, broken)
      const [sealedHot, sealedCold] = await Promise.all([sealHot(sealer, hot), sealCold(sealer, hot.session, cold)])
      return salvage.replaceRows({ hot: sealedHot, cold: sealedCold }, broken)
    },
  }
}

async function sealBatch(sealer: Sealer, batch: WriteBatch): Promise<WriteBatch> {
  if (!sealer.isSealing()) return batch
  return { ...batch, sessions: await Promise.all(batch.sessions.map((write) => sealWrite(sealer, write))) }
}

async function sealWrite(sealer: Sealer, write: SessionWrite): Promise<SessionWrite> {
  const { session } = write.hot
  const lanes = (given: readonly LaneEntries[]): Promise<readonly LaneEntries[]> =>
    Promise.all(given.map(async ({ lane, entries }) => ({ lane, entries: await Promise.all(entries.map((entry) => sealEntry(sealer, session, entry))) })))
  const [hot, cold, append, insert, edits, operations, drafts] = await Promise.all([
    sealHot(sealer, write.hot),
    write.cold && sealCold(sealer, session, write.cold),
    lanes(write.append),
    lanes(write.insert),
    Promise.all(write.edits.map(async ({ lane, order, mark }) => ({ lane, order, mark: await sealEdit(sealer, session, order, mark) }))),
    Promise.all(write.operations.map((operation) => sealOperation(sealer, session, operation))),
    Promise.all(write.drafts.map(async (draft) => ('chunk' in draft ? { ...draft, chunk: await sealChunk(sealer, session, draft.draft, draft.n, draft.chunk) } : draft))),
  ])
  return { ...write, hot, ...(cold && { cold }), append, insert, edits, operations, drafts }
}

/** What can't be opened is left out, and named by its own order. */
async function unsealRange(sealer: Sealer, session: number, { entries, more, unreadable }: RangeResult): Promise<RangeResult> {
  const lost: string[] = []
  const open = await unsealEach(sealer, session, entries, ({ order }) => lost.push(order))
  return { entries: open.filter((entry) => entry !== undefined), more, unreadable: lost.length === 0 ? unreadable : [...unreadable, ...lost] }
}

export function unsealEach(sealer: Sealer, session: number, entries: readonly (StoredEntry | undefined)[], onLost: (entry: StoredEntry) => void = () => undefined): Promise<(StoredEntry | undefined)[]> {
  return Promise.all(entries.map(async (entry) => entry && unsealEntry(sealer, session, entry).catch(unlessUnsealable(() => void onLost(entry)))))
}

async function unsealPlaces(sealer: Sealer, session: number, { rows, entries }: PlacedEntries): Promise<PlacedEntries | undefined> {
  const [open, found] = await Promise.all([unsealRows(sealer, rows).catch(unlessUnsealable((): SessionRows | undefined => undefined)), unsealEach(sealer, session, entries)])
  return open && { rows: open, entries: found }
}

async function unsealDraft(sealer: Sealer, session: number, { row, chunks }: StoredDraft): Promise<StoredDraft> {
  const open = await Promise.all(
    chunks.map(async ({ n, chunk }) => unsealChunk(sealer, session, row.id, n, chunk).then((plain) => [{ n, chunk: plain }], unlessUnsealable(() => []))),
  )
  return { row, chunks: open.flat() }
}

/** Another error than that it can't be opened is thrown on. */
function unlessUnsealable<T>(otherwise: () => T): (error: unknown) => T {
  return (error) => {
    if (!(error instanceof Unsealable)) throw error
    return otherwise()
  }
}
