import type { DraftChunk } from '../contract/change.ts'
import type { ColdRow, HotRow, OperationRow, SessionRows } from '../contract/rows.ts'
import { sealedText } from './sealed-entry.ts'
import type { Sealer } from './sealer.ts'

type Sealed = { readonly sealed?: string }

/** Whether what lies in the place of a row or a piece of a draft is sealed. */
export const isSealed = (row: unknown): row is Required<Sealed> => typeof row === 'object' && row !== null && 'sealed' in row

const hotPlace = ({ key, session, version }: HotRow): string => `hot ${session} ${version} ${key}`
const coldPlace = (session: number, { version }: ColdRow): string => `cold ${session} ${version}`
const operationPlace = (session: number, { id, n }: OperationRow): string => `operation ${session} ${n} ${id}`
const chunkPlace = (session: number, draft: string, n: number): string => `draft ${session} ${n} ${draft}`

/** Keeps what storage itself reads of a row. */
export async function sealHot(sealer: Sealer, hot: HotRow): Promise<HotRow> {
  const { key, session, version } = hot
  return { key, session, version, sealed: await sealer.seal(JSON.stringify(hot), hotPlace(hot)) } as unknown as HotRow
}

/** @throws Unsealable, WrongPassphrase */
export const unsealHot = (sealer: Sealer, hot: HotRow): Promise<HotRow> => open(sealer, hot, hotPlace)

/** The numbers of the lanes are needed to find entries, which entries are gone for good to take them out of a mirror; the names of branches are theirs by chance. */
export async function sealCold(sealer: Sealer, session: number, cold: ColdRow): Promise<ColdRow> {
  const { version, lanes, purged } = cold
  return { version, lanes, purged, sealed: await sealer.seal(JSON.stringify(cold), coldPlace(session, cold)) } as unknown as ColdRow
}

export const unsealCold = (sealer: Sealer, session: number, cold: ColdRow): Promise<ColdRow> => open(sealer, cold, (row) => coldPlace(session, row))

/** @throws Unsealable, WrongPassphrase */
export async function unsealRows(sealer: Sealer, { hot, cold }: SessionRows): Promise<SessionRows> {
  const [openHot, openCold] = await Promise.all([unsealHot(sealer, hot), unsealCold(sealer, hot.session, cold)])
  return { hot: openHot, cold: openCold }
}

/** What it was called with is a checksum, which would give short texts away. */
export async function sealOperation(sealer: Sealer, session: number, operation: OperationRow): Promise<OperationRow> {
  const { id, n, isRedone } = operation
  return { id, n, ...(isRedone && { isRedone }), sealed: await sealer.seal(JSON.stringify(operation), operationPlace(session, operation)) } as unknown as OperationRow
}

export const unsealOperation = (sealer: Sealer, session: number, operation: OperationRow): Promise<OperationRow> => open(sealer, operation, (row) => operationPlace(session, row))

export async function sealChunk(sealer: Sealer, session: number, draft: string, n: number, chunk: DraftChunk): Promise<DraftChunk> {
  return { sealed: await sealer.seal(JSON.stringify(chunk), chunkPlace(session, draft, n)) } as DraftChunk
}

export const unsealChunk = (sealer: Sealer, session: number, draft: string, n: number, chunk: DraftChunk): Promise<DraftChunk> => open(sealer, chunk, () => chunkPlace(session, draft, n))

async function open<T extends object>(sealer: Sealer, row: T, place: (row: T) => string): Promise<T> {
  return isSealed(row) ? (JSON.parse(await sealer.open(sealedText(row), place(row))) as T) : row
}
