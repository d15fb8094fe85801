import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that a browser keeps everything in, and no trace elsewhere. */
export interface TemporaryProfile {
  readonly folder: string
  remove(): void
}

/** Makes one. It is removed at the latest when this process exits. */
export function makeTemporaryProfile(engine: string): TemporaryProfile {
  const folder = mkdtempSync(join(tmpdir(), `keepsession-${engine}-`))
  const remove = (): void => {
    process.off('exit', remove)
    // A process that is just ending may still write.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
  process.once('exit', remove)
  return { folder, remove }
}
