import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { inject } from 'vitest'

/**
 * A folder that is filled once in a run, by the first file that asks for it, while the others wait. Nobody writes to it
 * afterwards.
 *
 * Not before the tests: who runs one file waits only for what that file needs.
 */
export async function madeOnce(name: string, fill: (folder: string) => Promise<unknown>): Promise<string> {
  const made = join(inject('runFolder'), name)
  const [draft, claim] = [`${made}.draft`, `${made}.claim`]
  while (!existsSync(made)) {
    if (!(await isFirst(claim))) {
      await wait(50)
      continue
    }
    try {
      // Another may have made it between the two questions.
      if (existsSync(made)) break
      // What an attempt that failed has left.
      await rm(draft, { recursive: true, force: true })
      await mkdir(draft)
      await fill(draft)
      await rename(draft, made)
    } finally {
      await rm(claim, { recursive: true })
    }
  }
  return made
}

/** Of all who make the same folder, one succeeds. */
function isFirst(claim: string): Promise<boolean> {
  return mkdir(claim).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )
}
