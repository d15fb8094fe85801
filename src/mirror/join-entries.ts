import type { SequenceRanges } from '../contract/entry.ts'
import { pushAll } from '../domain/push-all.ts'
import { joinRanges, rangesOf, withoutRanges } from '../domain/version-vector.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { isErased, type MirrorIndex } from './mirror-index.ts'
import { isNoRange } from './mirror-ranges.ts'
import type { MirrorWriter } from './mirror-writer.ts'
import { erasureText } from './mirrored-text.ts'
import { readFrameText } from './read-frames.ts'
import { type ScannedFrame, scanFile } from './scan-file.ts'

/** Writes the entries of files, each of them once: after an interruption two files may have the same ones. */
export async function joinEntries(
  folder: MirrorFolder,
  index: MirrorIndex,
  files: readonly string[],
  writer: MirrorWriter,
): Promise<void> {
  for (const [key, sessions] of Object.entries(index.erased)) writer.add('erased', erasureText({ key, sessions }))
  const done = new Map<string, SequenceRanges>()
  for (const one of files) {
    const blob = await folder.read(one)
    if (blob === undefined) continue
    for (const [key, { frames }] of (await scanFile(blob)).sessions) {
      const found = new Map<string, ScannedFrame['addresses'][number][]>()
      for (const frame of frames) {
        const { session, addresses } = frame
        const id = `${session} ${key}`
        if (isErased(index, key, session) || isIn(done.get(id), addresses)) continue
        const text = await readFrameText(blob, frame)
        if (text === undefined) continue
        // Where entries were removed, spaces fill the frame.
        writer.add('entries', text.trimEnd())
        const all = found.get(id) ?? []
        found.set(id, all)
        pushAll(all, addresses)
      }
      for (const [id, addresses] of found) done.set(id, joinRanges(done.get(id) ?? {}, rangesOf(addresses)))
    }
  }
}

const isIn = (ranges: SequenceRanges | undefined, addresses: ScannedFrame['addresses']): boolean =>
  ranges !== undefined && isNoRange(withoutRanges(rangesOf(addresses), ranges))
