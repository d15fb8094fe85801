import { abortError } from '../formats/byte-source.ts'
import type { MirrorFolder } from './mirror-folder.ts'
import type { MirrorSealing } from './mirrored-place.ts'
import { type ScannedFile, scanFile } from './scan-file.ts'

/** Scans the files of a mirror, each of them once. */
export interface ScanCache {
  /** @returns `undefined` when there is no such file. @throws Aborted */
  scan(name: string): Promise<ScannedFile | undefined>
  /** The scans so far, by file. */
  readonly scans: ReadonlyMap<string, ScannedFile>
  forget(name: string): void
}

export function createScanCache(
  folder: MirrorFolder,
  sealing: MirrorSealing | undefined,
  signal: AbortSignal | undefined,
): ScanCache {
  const scans = new Map<string, ScannedFile>()
  return {
    scans,
    scan: async (name) => {
      if (signal?.aborted) throw abortError()
      const known = scans.get(name)
      const file = known === undefined ? await folder.read(name) : undefined
      if (file === undefined) return known
      const scanned = await scanFile(file, sealing)
      scans.set(name, scanned)
      return scanned
    },
    forget: (name) => void scans.delete(name),
  }
}
