import { readdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { buildLive } from '../../site/generator/build-live.ts'
import { buildPages } from '../../site/generator/build-pages.ts'
import { madeOnce } from '../support/made-once.ts'

/** Where the site is below the folder that is served: it has to work at any address. */
export const place = 'some/where'

/** Builds the site once in a run, below an address of its own; gives the folder to be served. */
export const builtSite = (): Promise<string> =>
  madeOnce('site', async (folder) => {
    const site = join(folder, place)
    await mkdir(site, { recursive: true })
    await buildLive(site)
    await buildPages(site)
  })

/** All files of the site with this ending, relative to it. */
export function filesOf(folder: string, ending: string): string[] {
  const site = join(folder, place)
  return readdirSync(site, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(site, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort()
}
