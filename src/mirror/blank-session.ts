import { blankFrames, type FramePlace, type MirrorWriter } from './mirror-writer.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { parseMirrorName } from './mirror-names.ts'
import { readFrames } from './read-frames.ts'

/** Overwrites what a file of ours holds of a session. */
export async function blankInOwn(folder: MirrorFolder, name: string, writer: MirrorWriter, key: string): Promise<void> {
  const file = await folder.read(name)
  if (file !== undefined) writer.blank(await placesOf(file, key))
}

/** Overwrites what the files of workers that are gone hold of a session. Those that live hear of it themselves. */
export async function blankInOthers(folder: MirrorFolder, own: string, key: string): Promise<void> {
  for (const name of await folder.list()) {
    if (name === own || parseMirrorName(name) === undefined) continue
    const blob = await folder.read(name)
    const places = blob === undefined ? [] : await placesOf(blob, key)
    if (places.length === 0) continue
    const file = await folder.open(name)
    if (file === undefined) continue
    blankFrames(file, places)
    file.close()
  }
}

/** Where a file has entries of a session. */
async function placesOf(file: Blob, key: string): Promise<readonly FramePlace[]> {
  const start = new TextEncoder().encode(`[${JSON.stringify(key)},`)
  const places: FramePlace[] = []
  for await (const frames of readFrames(file)) {
    for (const { head, body, from, to } of frames) {
      if (head.kind === 'entries' && start.every((byte, i) => body[i] === byte)) places.push({ from, to })
    }
  }
  return places
}
