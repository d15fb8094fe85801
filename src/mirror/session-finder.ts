import type { SessionFrame } from './find-session.ts'
import { textOf } from './frame.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { parseMirrorName } from './mirror-names.ts'
import { readFrames } from './read-frames.ts'
import { retryReading } from './retry-reading.ts'

/** Finds the frames with a session's entries in the files of a mirror. */
export interface SessionFinder {
  /** The frames under a key, by file. Files that can't be read are left out. */
  find(key: string): Promise<readonly (readonly [file: string, frames: readonly SessionFrame[]])[]>
  /** The frames of one file under a key. */
  findIn(file: string, key: string): Promise<readonly SessionFrame[]>
  /** Frees its memory, once no more sessions are being erased. */
  rest(): void
}

/** A file that was read before. Its frames never move, and new ones are at its end. */
interface KnownFile {
  /** Where the last known frame ends. */
  seen: number
  /** `from`, `to` and session of each frame in one list, by the key as JSON. */
  readonly frames: Map<string, number[]>
}

/** How many frames are remembered, with 24 bytes each. */
const maxFrames = 1_000_000

/**
 * Reads each file once, and from then on only its new end. So erasing thousands of sessions one after the other does
 * not read the whole mirror thousands of times.
 */
export function createSessionFinder(folder: MirrorFolder): SessionFinder {
  let files = new Map<string, KnownFile>()
  let held = 0
  let searching: Promise<unknown> = Promise.resolve()

  async function readOn(file: string): Promise<KnownFile | undefined> {
    const blob = await folder.read(file)
    if (blob === undefined) return undefined
    let known = files.get(file)
    if (known === undefined || blob.size < known.seen) known = { seen: 0, frames: new Map() }
    files.set(file, known)
    const start = known.seen
    for await (const frames of readFrames(blob.slice(start))) {
      for (const { head, body, from, to } of frames) {
        known.seen = start + to
        const found = head.kind === 'entries' ? sessionOf(body) : undefined
        if (found === undefined) continue
        const places = known.frames.get(found.key) ?? []
        known.frames.set(found.key, places)
        places.push(start + from, start + to, found.session)
        held++
      }
    }
    return known
  }

  async function find(key: string): Promise<readonly (readonly [string, readonly SessionFrame[]])[]> {
    const names = (await folder.list()).filter((file) => parseMirrorName(file) !== undefined)
    for (const file of files.keys()) if (!names.includes(file)) files.delete(file)
    const found: (readonly [string, readonly SessionFrame[]])[] = []
    for (const file of names) {
      // One that can't be read must not hide what the others have.
      const frames = await findIn(file, key).catch(() => undefined)
      if (frames !== undefined) found.push([file, frames])
    }
    return found
  }

  async function findIn(file: string, key: string): Promise<readonly SessionFrame[]> {
    const places = (await retryReading(() => readOn(file)))?.frames.get(JSON.stringify(key)) ?? []
    if (held > maxFrames) rest()
    return framesIn(places)
  }

  function rest(): void {
    files = new Map()
    held = 0
  }

  /** Searches run one after the other, because two at once would both count the new frames. */
  function inTurn<T>(search: () => Promise<T>): Promise<T> {
    const result = searching.then(search)
    searching = result.catch(() => undefined)
    return result
  }

  return { find: (key) => inTurn(() => find(key)), findIn: (file, key) => inTurn(() => findIn(file, key)), rest }
}

function framesIn(places: readonly number[]): readonly SessionFrame[] {
  const frames: SessionFrame[] = []
  for (let i = 0; i < places.length; i += 3)
    frames.push({ from: places[i]!, to: places[i + 1]!, session: places[i + 2]! })
  return frames
}

const [bracket, quote, backslash, comma] = [...'["\\,'].map((sign) => sign.charCodeAt(0))

/**
 * The key and the local number at the start of a text with entries: `["key",7,…`. Parsing the whole text would take
 * long.
 */
function sessionOf(body: Uint8Array): { readonly key: string; readonly session: number } | undefined {
  if (body[0] !== bracket || body[1] !== quote) return undefined
  let end = 2
  while (end < body.length && body[end] !== quote) end += body[end] === backslash ? 2 : 1
  const numberEnd = body.indexOf(comma!, end + 2)
  if (body[end + 1] !== comma || numberEnd < 0) return undefined
  return {
    key: textOf(body.subarray(1, end + 1)),
    session: Number.parseInt(textOf(body.subarray(end + 2, numberEnd)), 10),
  }
}
