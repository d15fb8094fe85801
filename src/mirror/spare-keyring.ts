import type { Keyring } from '../contract/encryption.ts'
import type { MirrorFile, MirrorFolder } from './mirror-folder.ts'

/**
 * Copies of a store's keyrings in the folder of its mirror. Without them the mirror could not be read after the
 * database is lost.
 */
export interface SpareKeyrings {
  load(): Promise<readonly Keyring[]>
  /**
   * Replaces all keyrings with no other keys: those of databases that were lost, once their keys were adopted. Those of
   * other databases stay. @throws what the folder throws
   */
  save(keyring: Keyring): Promise<void>
}

/** How often, and after which pause, to try again when another tab writes the file. */
const maxTries = 20
const pauseMs = 25

const pattern = /^keyring\.[0-9a-z]+\.(next|now)\.json$/

/** Whether there is a keyring among the files of a mirror. */
export const hasSpareKeyring = (files: readonly string[]): boolean => files.some((file) => pattern.test(file))

export function createSpareKeyrings(folder: MirrorFolder): SpareKeyrings {
  const read = async (name: string): Promise<string | undefined> => (await folder.read(name))?.text()

  async function write(name: string, keyring: Keyring): Promise<void> {
    const text = JSON.stringify(keyring)
    let file: MirrorFile | undefined
    for (let tries = 0; file === undefined; tries++) {
      const found = await read(name)
      // Another tab may have written a newer keyring.
      if (found === text || (parsed(found)?.generation ?? 0) > keyring.generation) return
      file = await folder.open(name)
      if (file === undefined && tries === maxTries) throw new Error('its file is in use')
      if (file === undefined) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    const bytes = new TextEncoder().encode(text)
    try {
      file.truncate(0)
      if (file.write(bytes, { at: 0 }) !== bytes.length)
        throw new RangeError('There is no room for the keyring of the mirror.')
      file.flush()
    } finally {
      file.close()
    }
  }

  return {
    load: async () => {
      const newest = new Map<string, Keyring>()
      for (const name of (await folder.list()).filter((file) => pattern.test(file))) {
        const keyring = parsed(await read(name))
        const [first] = keyring?.keys ?? []
        if (
          keyring !== undefined &&
          first !== undefined &&
          (newest.get(first.id)?.generation ?? 0) <= keyring.generation
        )
          newest.set(first.id, keyring)
      }
      return [...newest.values()]
    },
    save: async (keyring) => {
      const [first] = keyring.keys
      // The files are written one after the other, so that an interruption leaves one of them complete.
      const written = ['next', 'now'].map((which) => `keyring.${first!.id}.${which}.json`)
      for (const name of written) await write(name, keyring)
      // What is left of a lost database could be opened with its old passphrase, and would make this one look encrypted.
      const saved = new Set(keyring.keys.map(({ id }) => id))
      for (const name of await folder.list()) {
        if (!pattern.test(name) || written.includes(name)) continue
        if (parsed(await read(name))?.keys.every(({ id }) => saved.has(id))) await folder.remove(name)
      }
    },
  }
}

function parsed(text: string | undefined): Keyring | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Keyring)
  } catch {
    return undefined
  }
}
