import type { Entry, SequenceRanges } from '../contract/entry.ts'
import type { JsonObject } from '../contract/json.ts'
import type { StoredEntry } from '../contract/rows.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { entryId } from '../domain/address.ts'
import { clockStart, laterClock, tick } from '../domain/clock.ts'
import { pushAll } from '../domain/push-all.ts'
import { measureData, sealEntry } from '../domain/seal.ts'
import { commonRanges, inRanges, rangesOf, withoutRanges } from '../domain/version-vector.ts'
import { inClockOrder } from '../formats/archive/session-file.ts'
import { mergeEntries } from '../formats/merge-entries.ts'
import { isMadeBy } from '../storage/engine/writing/append-receipts.ts'
import { createRandomInteger, fillRandom } from '../storage/random-integer.ts'
import { isNoRange } from './mirror-ranges.ts'
import type { MirrorSealing } from './mirrored-place.ts'
import { parseEntries } from './mirrored-text.ts'
import { readFrameText } from './read-frames.ts'
import type { ScannedFile, ScannedFrame } from './scan-file.ts'

export interface RefillSession {
  readonly key: string
  /** Files with entries of the session. */
  readonly files: readonly { readonly name: string; readonly file: Blob; readonly scanned: ScannedFile }[]
  /** Addresses that the database lacks. */
  readonly missing: SequenceRanges
  /** Whether the session that had this local number was erased, so that its entries must not be restored. */
  readonly isErased: (session: number) => boolean
  /** Whether the database has this operation, and it made something else than these entries. */
  readonly isRepeated: (operation: string, addresses: ScannedFrame['addresses']) => Promise<boolean>
  readonly signal: AbortSignal | undefined
  readonly sealing: MirrorSealing | undefined
}

export interface RefilledSession {
  readonly added: number
  /** Entries in the files that may never have been reported to their caller as stored. */
  readonly unconfirmed: number
  /**
   * Frames that were never stored, and whose operations another worker has carried out since. They must never be
   * restored.
   */
  readonly repeated: readonly { readonly name: string; readonly frame: ScannedFrame }[]
  /** Reasons why parts could not be restored. */
  readonly left: readonly string[]
}

/**
 * Restores the entries of a session that a database lacks, each unchanged and checked by its checksum. Keeps one
 * session in memory.
 */
export async function refillSession(
  store: SessionStore,
  { key, files, missing, isErased, isRepeated, signal, sealing }: RefillSession,
): Promise<RefilledSession> {
  const entries = new Map<string, Entry>()
  const repeated: { readonly name: string; readonly frame: ScannedFrame }[] = []
  const leftOut: ScannedFrame['addresses'][number][] = []
  let unconfirmed = 0
  let closed = 0
  for (const { name, file, scanned } of files) {
    const session = scanned.sessions.get(key)!
    unconfirmed += session.unconfirmed
    for (const frame of session.frames.filter((one) => !isErased(one.session))) {
      if (!frame.addresses.some(({ w, s }) => inRanges(missing, w, s))) continue
      // The transaction ended with its worker, or its journal could not be read, and the page repeated the call in the
      // next worker, which stored the result.
      const again = new Set<string>()
      for (const operation of frame.operations) if (await isRepeated(operation, frame.addresses)) again.add(operation)
      const text = await readFrameText(file, frame)
      const found = text === undefined ? undefined : parseEntries(text)
      // What was answered in the same frame was not repeated with it.
      const answered = again.size < frame.operations.length ? found?.answered?.operations : undefined
      if (again.size > 0 && answered === undefined) {
        repeated.push({ name, frame })
        pushAll(leftOut, frame.addresses)
        continue
      }
      const done = answered?.filter(({ id }) => again.has(id)) ?? []
      const held: StoredEntry[] = []
      for (const entry of found?.entries ?? []) {
        if (!inRanges(missing, entry.w, entry.s)) continue
        const isDone = done.some((operation) => isMadeBy(operation, entry))
        if (isDone) leftOut.push(entry)
        else held.push(entry)
      }
      const open = (await sealing?.open(frame.session, held)) ?? held
      for (const { bytes: _, ...entry } of open) entries.set(entryId(entry.w, entry.s), entry)
      closed += held.length - open.length
    }
  }
  const left: string[] = closed === 0 ? [] : [`${closed} entries can't be decrypted`]
  const found = inClockOrder([...entries.values()])
  const gone = commonRanges(withoutRanges(rangesOf(leftOut), rangesOf(found)), missing)
  // It goes first, so that nothing is ever stored behind a hole that it does not explain.
  const purges = isNoRange(gone) ? [] : [purgeOf(gone, found)]
  let added = -purges.length
  const owner = await store.resolveSessionKey(key)
  if (found.length + purges.length > 0 && owner !== key)
    return { added: 0, unconfirmed, repeated, left: [`its key is an alias of session "${owner}" here`] }
  await mergeEntries(store, key, [...purges, ...found], {
    signal,
    gapsAreLost: true,
    bytesOf: ({ data }) => measureData(data).bytes,
    onChunk: (_, result) => {
      added += result.added
      pushAll(
        left,
        result.refused.map(({ id, reason }) => `entry ${id}: ${reason}`),
      )
    },
  })
  return { added, unconfirmed, repeated, left }
}

/** Tells other devices that nothing will ever come in these places. */
function purgeOf(places: SequenceRanges, entries: readonly Entry[]): Entry {
  const at = Date.now()
  const newest = entries.reduce((latest, { clock }) => laterClock(latest, clock), clockStart)
  return sealEntry({
    w: createRandomInteger(fillRandom)(),
    s: 0,
    branch: '',
    type: 'purge',
    data: { ranges: places as unknown as JsonObject },
    at,
    clock: tick(newest, at),
  })
}
