import type { MirrorFolder } from './mirror-folder.ts'

/**
 * A folder that did not open in time. Until it does, files don't open, but whoever reads waits for a while: a purge must
 * be announced in it.
 *
 * @param waitMs - how long reads wait from now on
 */
export function lateFolder(opening: Promise<MirrorFolder>, waitMs: number): MirrorFolder {
  let folder: MirrorFolder | undefined
  const within = new Promise<MirrorFolder>((resolve, reject) => {
    const timeout = setTimeout(() => reject(notOpen()), waitMs)
    opening.then((found) => resolve((folder = found)), reject).finally(() => clearTimeout(timeout))
  })
  within.catch(() => undefined)
  const waited = async (): Promise<MirrorFolder> => folder ?? within
  const now = async (): Promise<MirrorFolder> => folder ?? Promise.reject(notOpen())
  return {
    list: async () => (await waited()).list(),
    read: async (name) => (await waited()).read(name),
    open: async (name) => (await now()).open(name),
    remove: async (name) => (await now()).remove(name),
  }
}

const notOpen = (): Error => new Error('its folder does not open')
