import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder that lasts as long as the run. */
    runFolder: string
  }
}

/** Gives the files of a run a folder in which they keep what one of them makes for all. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'keepsession-run-'))
  provide('runFolder', folder)
  return () => rm(folder, { recursive: true, force: true })
}
