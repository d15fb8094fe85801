import { SessionError } from '../../contract/errors.ts'
import { type CollectionRow, longestName, longestRowKey, type RowValue } from '../../contract/store/collections.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { fromBase64, toBase64 } from '../../domain/base64.ts'
import { canonicalJson } from '../../domain/canonical-json.ts'
import { normaliseJson } from '../../domain/normalise.ts'
import { isBytes } from '../../domain/row-value.ts'
import { toWellFormed } from '../../domain/to-well-formed.ts'
import { abortError, type ByteSource } from '../byte-source.ts'
import { isObject } from '../is-plain-object.ts'
import { lineLimit, readLines } from '../jsonl-lines.ts'
import { archiveVersion, checkVersion } from './manifest.ts'
import { parseJson } from './session-file.ts'

/** How many rows are in memory at a time. A row may have 8 MiB. */
const pageSize = 16

/** What the last line of a collection's file says. */
export interface CollectionCounts {
  readonly rows: number
  /** Rows that could not be read when the archive was written. */
  readonly unreadable: number
}

/** One line of a collection's file. */
export type CollectionLine =
  | { readonly name: string }
  | { readonly row: CollectionRow }
  | { readonly counts: CollectionCounts }

/**
 * The lines of a collection's file: a header, each row in the order of the keys, and how many there are. Bytes are
 * written in base64.
 */
export async function* collectionLines(
  store: Pick<SessionStore, 'listRows'>,
  name: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, CollectionCounts, undefined> {
  yield `${canonicalJson({ keepsession: 'collection', version: archiveVersion, name })}\n`
  let [count, lost] = [0, 0]
  for (let after: string | undefined; ; ) {
    if (signal?.aborted) throw abortError('export')
    const page = await store.listRows(name, { limit: pageSize, ...(after === undefined ? {} : { after }) })
    for (const { key, value } of page.rows)
      yield `${canonicalJson(isBytes(value) ? { key, bytes: toBase64(value) } : { key, value })}\n`
    count += page.rows.length
    lost += page.unreadable?.length ?? 0
    if (page.next === undefined) break
    after = page.next
  }
  const counts: CollectionCounts = { rows: count, unreadable: lost }
  yield `${canonicalJson({ ...counts })}\n`
  return counts
}

/** Reads the lines of a collection's file. @throws InvalidInput, TooLarge with the mistake; VersionConflict; Aborted */
export async function* parseCollection(
  bytes: ByteSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<CollectionLine, void, undefined> {
  let [count, isEnded] = [0, false]
  for await (const { lines, pendingBytes } of readLines(bytes, signal)) {
    if (pendingBytes > lineLimit) throw new SessionError('TooLarge', `a line has over ${lineLimit / 1024 / 1024} MiB`)
    for (const { text, number, isTerminated, isTooLong } of lines) {
      if (isTooLong || !isTerminated || isEnded)
        throw invalid(number, isTooLong ? 'is too long' : isEnded ? 'comes after the end' : 'is incomplete')
      const found = parseJson(text, number)
      if (!isObject(found)) throw invalid(number, 'is not an object')
      if (number === 1) yield { name: nameIn(found) }
      else if ('key' in found) {
        count++
        yield { row: rowIn(found, number) }
      } else {
        isEnded = true
        const { rows, unreadable } = found
        if (rows !== count || typeof unreadable !== 'number') throw invalid(number, `says other than ${count} rows`)
        yield { counts: { rows: count, unreadable } }
      }
    }
  }
  if (!isEnded) throw new SessionError('InvalidInput', 'its end is missing')
}

function nameIn({ keepsession, version, name }: Readonly<Record<string, unknown>>): string {
  if (keepsession !== 'collection')
    throw new SessionError('InvalidInput', 'its first line is not the header of a collection')
  checkVersion(version)
  if (!isText(name, longestName)) throw new SessionError('InvalidInput', 'its header has no valid name')
  return name
}

function rowIn({ key, value, bytes }: Readonly<Record<string, unknown>>, number: number): CollectionRow {
  if (!isText(key, longestRowKey)) throw invalid(number, 'has no valid key')
  return { key, value: typeof bytes === 'string' ? bytesIn(bytes, number) : jsonIn(value, number) }
}

function bytesIn(text: string, number: number): RowValue {
  try {
    return fromBase64(text)
  } catch {
    throw invalid(number, 'has bytes that are not base64')
  }
}

const jsonIn = (value: unknown, number: number): RowValue =>
  normaliseJson(value, { path: `line ${number}: value` }).value

const isText = (text: unknown, longest: number): text is string =>
  typeof text === 'string' && text !== '' && text.length <= longest && toWellFormed(text) === text

const invalid = (number: number, what: string): SessionError =>
  new SessionError('InvalidInput', `line ${number} ${what}`)
