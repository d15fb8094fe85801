import type { DraftChunk } from '../contract/change.ts'
import type { OperationRow } from '../contract/operation-row.ts'
import type { ColdRow, HotRow, SessionRows } from '../contract/rows.ts'
import { sealedText } from './sealed-entry.ts'
import type { Sealer } from './sealer.ts'

type Sealed = { readonly sealed?: string }

/** Whether a row, or a chunk of a draft, is sealed. */
export const isSealed = (row: unknown): row is Required<Sealed> =>
  typeof row === 'object' && row !== null && 'sealed' in row

const hotPlace = ({ key, session, version }: HotRow): string => `hot ${session} ${version} ${key}`
const coldPlace = (session: number, { version }: ColdRow): string => `cold ${session} ${version}`
const operationPlace = (session: number, { id, n }: OperationRow): string => `operation ${session} ${n} ${id}`
const chunkPlace = (session: number, draft: string, n: number): string => `draft ${session} ${n} ${draft}`

/** The fields that storage itself reads stay plain. */
export async function sealHot(sealer: Sealer, hot: HotRow): Promise<HotRow> {
  const { key, session, version } = hot
  return { key, session, version, sealed: await sealer.seal(JSON.stringify(hot), hotPlace(hot)) } as unknown as HotRow
}

/** @throws Unsealable, WrongPassphrase */
export const unsealHot = (sealer: Sealer, hot: HotRow): Promise<HotRow> => open(sealer, hot, hotPlace)

/**
 * The lanes stay plain because storage needs their numbers to find entries, and the purged ranges because a mirror must
 * drop them. The names of branches are plain only because they are the keys of the lanes.
 */
export async function sealCold(sealer: Sealer, session: number, cold: ColdRow): Promise<ColdRow> {
  const { version, lanes, purged } = cold
  return {
    version,
    lanes,
    purged,
    sealed: await sealer.seal(JSON.stringify(cold), coldPlace(session, cold)),
  } as unknown as ColdRow
}

export const unsealCold = (sealer: Sealer, session: number, cold: ColdRow): Promise<ColdRow> =>
  open(sealer, cold, (row) => coldPlace(session, row))

/** @throws Unsealable, WrongPassphrase */
export async function unsealRows(sealer: Sealer, { hot, cold }: SessionRows): Promise<SessionRows> {
  const [openHot, openCold] = await Promise.all([unsealHot(sealer, hot), unsealCold(sealer, hot.session, cold)])
  return { hot: openHot, cold: openCold }
}

/** The fingerprint is sealed too: it is a checksum of the call, and would reveal short texts. */
export async function sealOperation(sealer: Sealer, session: number, operation: OperationRow): Promise<OperationRow> {
  const { id, n, isRedone } = operation
  return {
    id,
    n,
    ...(isRedone && { isRedone }),
    sealed: await sealer.seal(JSON.stringify(operation), operationPlace(session, operation)),
  } as unknown as OperationRow
}

export const unsealOperation = (sealer: Sealer, session: number, operation: OperationRow): Promise<OperationRow> =>
  open(sealer, operation, (row) => operationPlace(session, row))

export async function sealChunk(
  sealer: Sealer,
  session: number,
  draft: string,
  n: number,
  chunk: DraftChunk,
): Promise<DraftChunk> {
  return { sealed: await sealer.seal(JSON.stringify(chunk), chunkPlace(session, draft, n)) } as DraftChunk
}

export const unsealChunk = (
  sealer: Sealer,
  session: number,
  draft: string,
  n: number,
  chunk: DraftChunk,
): Promise<DraftChunk> => open(sealer, chunk, () => chunkPlace(session, draft, n))

async function open<T extends object>(sealer: Sealer, row: T, place: (row: T) => string): Promise<T> {
  return isSealed(row) ? (JSON.parse(await sealer.open(sealedText(row), place(row))) as T) : row
}
