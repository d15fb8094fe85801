import { textOf } from './frame.ts'
import type { SessionFrame } from './find-session.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { parseMirrorName } from './mirror-names.ts'
import { readFrames } from './read-frames.ts'

/** Finds what the files of a mirror hold under the keys of sessions. */
export interface SessionFinder {
  /** What each file has under a key now. */
  find(key: string): Promise<readonly (readonly [file: string, frames: readonly SessionFrame[]])[]>
  /** What one file has under a key now. */
  findIn(file: string, key: string): Promise<readonly SessionFrame[]>
  /** Forgets what it knows of the files: nobody is erasing sessions one after the other any more. */
  rest(): void
}

/** What is known of a file: its frames never move, and what is new stands at its end. */
interface KnownFile {
  /** Where the last frame that was looked at ends. */
  seen: number
  /** By the key as it is written: `from`, `to` and session of each frame, one after the other. */
  readonly frames: Map<string, number[]>
}

/** How many frames are remembered: 24 bytes each. */
const mostFrames = 1_000_000

/**
 * Makes what looks through the files of a folder. Each is read once and from then on only its end, so that to erase thousands of sessions one after the
 * other does not read the whole mirror thousands of times.
 */
export function createSessionFinder(folder: MirrorFolder): SessionFinder {
  let files = new Map<string, KnownFile>()
  let held = 0
  let looking: Promise<unknown> = Promise.resolve()

  async function lookOn(file: string): Promise<KnownFile | undefined> {
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
    for (const file of names) found.push([file, await findIn(file, key)])
    return found
  }

  async function findIn(file: string, key: string): Promise<readonly SessionFrame[]> {
    const places = (await lookOn(file))?.frames.get(JSON.stringify(key)) ?? []
    if (held > mostFrames) rest()
    return framesIn(places)
  }

  function rest(): void {
    files = new Map()
    held = 0
  }

  /** One after the other: two that look on at once would both see what is new. */
  function inTurn<T>(look: () => Promise<T>): Promise<T> {
    const looked = looking.then(look)
    looking = looked.catch(() => undefined)
    return looked
  }

  return { find: (key) => inTurn(() => find(key)), findIn: (file, key) => inTurn(() => findIn(file, key)), rest }
}

function framesIn(places: readonly number[]): readonly SessionFrame[] {
  const frames: SessionFrame[] = []
  for (let i = 0; i < places.length; i += 3) frames.push({ from: places[i]!, to: places[i + 1]!, session: places[i + 2]! })
  return frames
}

const [bracket, quote, backslash, comma] = [...'["\\,'].map((sign) => sign.charCodeAt(0))

/** The key and the local number that a text of entries begins with: `["key",7,…`. To parse the whole takes long. */
function sessionOf(body: Uint8Array): { readonly key: string; readonly session: number } | undefined {
  if (body[0] !== bracket || body[1] !== quote) return undefined
  let end = 2
  while (end < body.length && body[end] !== quote) end += body[end] === backslash ? 2 : 1
  const comes = body.indexOf(comma!, end + 2)
  if (body[end + 1] !== comma || comes < 0) return undefined
  return { key: textOf(body.subarray(1, end + 1)), session: Number.parseInt(textOf(body.subarray(end + 2, comes))) }
}
