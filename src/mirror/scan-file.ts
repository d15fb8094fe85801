import type { Clock } from '../contract/entry.ts'
import type { JsonObject } from '../contract/json.ts'
import { compareClocks } from '../domain/clock.ts'
import { textOf } from './frame.ts'
import type { FramePlace } from './mirror-writer.ts'
import type { MirrorSealing } from './mirrored-place.ts'
import { type MirroredErasure, parseEntries, parseErasure } from './mirrored-text.ts'
import { readFrames } from './read-frames.ts'
import { createRowsScan, type ScannedRows } from './rows/scan-rows.ts'

/** The entries of a session in one frame. */
export interface ScannedFrame extends FramePlace {
  /** Local number of the session when the frame was written. */
  readonly session: number
  readonly addresses: readonly { readonly w: number; readonly s: number }[]
  /**
   * The operations that wrote them, if the caller may have repeated these: their worker died before it could confirm
   * them, or had only its journal to answer from, which the next worker may not have been able to read.
   */
  readonly operations: readonly string[]
}

/** The part of a mirror's file that belongs to one session. */
interface ScannedSession {
  readonly frames: readonly ScannedFrame[]
  /** Clock of its first entry, and of the entry that moved its history to another session. */
  readonly born: Clock
  readonly promoted?: Clock
  /** Entries whose worker died before it could confirm them, so that they may never have been reported as stored. */
  readonly unconfirmed: number
}

/** The announcement that a session was erased, or was about to be when its worker died. */
export interface ScannedErasure extends MirroredErasure {
  readonly place: FramePlace
}

export interface ScannedFile {
  readonly sessions: ReadonlyMap<string, ScannedSession>
  readonly erased: readonly ScannedErasure[]
  readonly rows: ScannedRows
}

interface Held extends ScannedFrame {
  readonly born: Clock
  readonly promoted?: Clock
  readonly number: number
  /** Its caller was answered as soon as it was written. */
  readonly isAnswered: boolean
  readonly key: string
}

/**
 * Reads a file of a mirror.
 *
 * @param sealing - absent: sealed entries are listed, but not opened
 */
export async function scanFile(file: Blob, sealing?: MirrorSealing): Promise<ScannedFile> {
  const held: Held[] = []
  const erased: ScannedErasure[] = []
  const rows = createRowsScan()
  let confirmed = 0
  for await (const frames of readFrames(file)) {
    for (const frame of frames) {
      const { head, body, from, to } = frame
      rows.take(frame)
      confirmed = Math.max(confirmed, head.confirmed)
      if (head.kind === 'entries') {
        const found = parseEntries(textOf(body))
        const [first] = found?.entries ?? []
        if (found === undefined || first === undefined) continue
        const { key, session, entries, operations, answered } = found
        const meta = entries.filter(({ type }) => type === 'meta')
        const promoted = ((await sealing?.open(session, meta)) ?? meta).find(
          ({ data }) => (data['set'] as JsonObject | undefined)?.['promotedTo'] !== undefined,
        )?.clock
        held.push({
          number: head.number,
          isAnswered: answered !== undefined,
          key,
          session,
          from,
          to,
          operations,
          addresses: entries.map(({ w, s }) => ({ w, s })),
          born: entries.reduce((least, { clock }) => earlier(least, clock), first.clock),
          ...(promoted === undefined ? {} : { promoted }),
        })
      } else if (head.kind === 'erased') {
        const erasure = parseErasure(textOf(body))
        if (erasure !== undefined) erased.push({ ...erasure, place: { from, to } })
      }
    }
  }
  const sessions = new Map<string, ScannedSession>()
  for (const [key, frames] of groupByKey(held)) {
    sessions.set(key, {
      frames: frames.map((frame) =>
        frame.number > confirmed || frame.isAnswered ? frame : { ...frame, operations: [] },
      ),
      born: frames.map(({ born }) => born).reduce(earlier),
      ...frames.reduce<{ promoted?: Clock }>(
        (found, { promoted }) =>
          promoted === undefined ? found : { promoted: earlier(found.promoted ?? promoted, promoted) },
        {},
      ),
      unconfirmed: frames
        .filter(({ number, isAnswered }) => number > confirmed && !isAnswered)
        .reduce((sum, { addresses }) => sum + addresses.length, 0),
    })
  }
  return { sessions, erased, rows: rows.result() }
}

const earlier = (a: Clock, b: Clock): Clock => (compareClocks(a, b) <= 0 ? a : b)

function groupByKey(held: readonly Held[]): Map<string, Held[]> {
  const groups = new Map<string, Held[]>()
  for (const one of held) {
    const group = groups.get(one.key)
    if (group === undefined) groups.set(one.key, [one])
    else group.push(one)
  }
  return groups
}
