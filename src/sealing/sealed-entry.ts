import type { JsonObject } from '../contract/json.ts'
import type { EditMark, StoredEntry } from '../contract/rows.ts'
import { entryId } from '../domain/address.ts'
import { isObject } from '../domain/is-object.ts'
import { sealedCrc } from '../storage/packed-entry.ts'
import { keyOfSealed, type Sealer, Unsealable } from './sealer.ts'

/** Prefix of the id of an edit whose value is sealed. */
const sealedEdit = '*'

const isSealedEntry = ({ crc }: Pick<StoredEntry, 'crc'>): boolean => crc === sealedCrc

/**
 * The text whose token a host message id is looked up by. It contains the session, so that equal ids of two sessions
 * can't be matched.
 */
export const midPlace = (session: number, mid: string): string => `${session} ${mid}`

const entryPlace = (session: number, { w, s }: Pick<StoredEntry, 'w' | 's'>): string =>
  `entry ${session} ${entryId(w, s)}`
const editPlace = (session: number, order: string, { id }: EditMark): string => `edit ${session} ${order} ${id}`

/** Seals the content of an entry. Its position, time and size stay plain. */
export async function sealEntry(sealer: Sealer, session: number, entry: StoredEntry): Promise<StoredEntry> {
  const { data, crc, edit, order } = entry
  const { mid } = data
  const [sealed, token, mark] = await Promise.all([
    sealer.seal(JSON.stringify([crc, data]), entryPlace(session, entry)),
    typeof mid === 'string' ? sealer.token(midPlace(session, mid)) : undefined,
    edit && sealEdit(sealer, session, order, edit),
  ])
  const { edit: _, ...bare } = entry
  return {
    ...bare,
    crc: sealedCrc,
    data: { sealed, ...(token === undefined ? {} : { mid: token }) },
    ...(mark && { edit: mark }),
  }
}

/** @throws Unsealable, WrongPassphrase */
export async function unsealEntry(sealer: Sealer, session: number, entry: StoredEntry): Promise<StoredEntry> {
  const [content, edit] = await Promise.all([
    openContent(sealer, session, entry),
    entry.edit && unsealEdit(sealer, session, entry.order, entry.edit),
  ])
  return { ...entry, ...content, ...(edit && { edit }) }
}

async function openContent(
  sealer: Sealer,
  session: number,
  entry: StoredEntry,
): Promise<Pick<StoredEntry, 'data' | 'crc'>> {
  if (!isSealedEntry(entry)) return { data: entry.data, crc: entry.crc }
  const [crc, data] = JSON.parse(await sealer.open(sealedText(entry.data), entryPlace(session, entry))) as [
    number,
    JsonObject,
  ]
  return { data, crc }
}

/** @param order - order of the edited entry */
export async function sealEdit(sealer: Sealer, session: number, order: string, mark: EditMark): Promise<EditMark> {
  if (mark.value === null) return mark
  return {
    ...mark,
    id: sealedEdit + mark.id,
    value: { sealed: await sealer.seal(JSON.stringify(mark.value), editPlace(session, order, mark)) },
  }
}

async function unsealEdit(sealer: Sealer, session: number, order: string, mark: EditMark): Promise<EditMark> {
  if (mark.value === null || !mark.id.startsWith(sealedEdit)) return mark
  const plain = { ...mark, id: mark.id.slice(sealedEdit.length) }
  return {
    ...plain,
    value: JSON.parse(await sealer.open(sealedText(mark.value), editPlace(session, order, plain))) as JsonObject,
  }
}

/** @throws Unsealable */
export function sealedText(value: unknown): string {
  const sealed = isObject(value) ? value['sealed'] : undefined
  if (typeof sealed !== 'string') throw new Unsealable('Sealed content is missing where it should be.')
  return sealed
}

/** Id of the key that an entry was sealed with; `''` for a plain one. */
export const keyOfEntry = (entry: Pick<StoredEntry, 'crc' | 'data'>): string =>
  isSealedEntry(entry) ? keyOfSealed(sealedText(entry.data)) : ''
