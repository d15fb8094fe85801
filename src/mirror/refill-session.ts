import type { Entry, SequenceRanges } from '../contract/entry.ts'
import type { SessionStore } from '../contract/store.ts'
import { entryId } from '../domain/address.ts'
import { measureData } from '../domain/seal.ts'
import { inRanges } from '../domain/version-vector.ts'
import { inClockOrder } from '../formats/archive/session-file.ts'
import { mergeEntries } from '../formats/merge-entries.ts'
import type { MirrorSealing } from './mirrored-place.ts'
import { parseEntries } from './mirrored-text.ts'
import { readFrameText } from './read-frames.ts'
import type { ScannedFile } from './scan-file.ts'

export interface RefillSession {
  readonly key: string
  /** Files that hold something of it. */
  readonly files: readonly { readonly file: Blob; readonly scanned: ScannedFile }[]
  /** What the database lacks. */
  readonly missing: SequenceRanges
  /** Of which of the sessions that had the key nothing must come back. */
  readonly isErased: (session: number) => boolean
  readonly signal: AbortSignal | undefined
  readonly sealing: MirrorSealing | undefined
}

export interface RefilledSession {
  readonly added: number
  /** Entries in the files that nobody may have been told were stored. */
  readonly unconfirmed: number
  /** What could not be put back. */
  readonly left: readonly string[]
}

/** Puts back what a database lacks of a session, each entry as it was and by its checksum. Holds one session in memory. */
export async function refillSession(store: SessionStore, { key, files, missing, isErased, signal, sealing }: RefillSession): Promise<RefilledSession> {
  const entries = new Map<string, Entry>()
  let unconfirmed = 0
  let closed = 0
  for (const { file, scanned } of files) {
    const session = scanned.sessions.get(key)!
    unconfirmed += session.unconfirmed
    for (const frame of session.frames.filter((one) => !isErased(one.session))) {
      const text = await readFrameText(file, frame)
      const held = ((text === undefined ? undefined : parseEntries(text))?.entries ?? []).filter(({ w, s }) => inRanges(missing, w, s))
      const open = (await sealing?.open(frame.session, held)) ?? held
      for (const { bytes: _, ...entry } of open) entries.set(entryId(entry.w, entry.s), entry)
      closed += held.length - open.length
    }
  }
  const left: string[] = closed === 0 ? [] : [`${closed} entries can't be decrypted`]
  let added = 0
  const owner = await store.resolveSessionKey(key)
  if (entries.size > 0 && owner !== key) return { added, unconfirmed, left: [`its key is an alias of session "${owner}" here`] }
  await mergeEntries(store, key, inClockOrder([...entries.values()]), {
    signal,
    gapsAreLost: true,
    bytesOf: ({ data }) => measureData(data).bytes,
    onChunk: (_, result) => {
      added += result.added
      left.push(...result.refused.map(({ id, reason }) => `entry ${id}: ${reason}`))
    },
  })
  return { added, unconfirmed, left }
}
