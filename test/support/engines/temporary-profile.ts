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
  // A process that is just ending may still write.
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  const removeAtExit = (): void => {
    try {
      remove()
    } catch (error) {
      console.error(`The profile ${folder} was left over:`, error)
    }
  }
  process.once('exit', removeAtExit)
  return {
    folder,
    remove: () => {
      process.off('exit', removeAtExit)
      remove()
    },
  }
}
