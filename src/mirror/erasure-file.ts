import { drawBoot } from './draw-boot.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import { mirrorName } from './mirror-names.ts'
import { createMirrorWriter, type MirrorWriter } from './mirror-writer.ts'
import { openMs } from './worker-file.ts'

/** Announces the erasures of a worker whose own file can't take them. */
export interface ErasureFile {
  /** @returns a function that withdraws the announcement. @throws when it can't be made */
  announce(text: string): Promise<() => void>
  close(): Promise<void>
}

/** @param epoch - of the database */
export function createErasureFile(folder: MirrorFolder, epoch: string): ErasureFile {
  /** Stays open: others read a file to its end once nobody has it open, and then never again. */
  let opening: Promise<MirrorWriter> | undefined

  async function open(): Promise<MirrorWriter> {
    const opening = folder.open(mirrorName({ epoch, boot: drawBoot() }))
    let timeout: ReturnType<typeof setTimeout> | undefined
    const tooLate = new Promise<undefined>((resolve) => (timeout = setTimeout(resolve, openMs, undefined)))
    const file = await Promise.race([opening, tooLate]).finally(() => clearTimeout(timeout))
    if (file !== undefined) return createMirrorWriter(file)
    opening.then(
      (late) => late?.close(),
      () => undefined,
    )
    throw new Error('its file does not open')
  }

  return {
    announce: async (text) => {
      opening ??= open()
      const writer = await opening.catch((error: unknown) => {
        opening = undefined
        throw error
      })
      const place = writer.announce(text)
      writer.flush()
      return () => {
        try {
          writer.blank([place])
        } catch {
          // The next comparison still finds the session in the database, and withdraws it.
        }
      }
    },
    close: async () => (await opening?.catch(() => undefined))?.close(),
  }
}
