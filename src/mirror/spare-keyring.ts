import type { Keyring } from '../contract/encryption.ts'
import type { MirrorFolder } from './mirror-folder.ts'

/** Keeps the keyrings of a store in the folder of its mirror, which could not be read without them once the database is lost. */
export interface SpareKeyrings {
  load(): Promise<readonly Keyring[]>
  /** Leaves those of other databases alone. @throws what the folder throws */
  save(keyring: Keyring): Promise<void>
}

const pattern = /^keyring\.[0-9a-z]+\.(next|now)\.json$/

/** Whether there is a keyring among the files of a mirror. */
export const hasSpareKeyring = (files: readonly string[]): boolean => files.some((file) => pattern.test(file))

export function createSpareKeyrings(folder: MirrorFolder): SpareKeyrings {
  const read = async (name: string): Promise<string | undefined> => (await folder.read(name))?.text()

  async function write(name: string, text: string): Promise<void> {
    if ((await read(name)) === text) return
    const file = await folder.open(name)
    // Whoever has it open writes the same, or a newer one.
    if (file === undefined) return
    const bytes = new TextEncoder().encode(text)
    try {
      file.truncate(0)
      if (file.write(bytes, { at: 0 }) !== bytes.length) throw new RangeError('There is no room for the keyring of the mirror.')
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
        if (keyring !== undefined && first !== undefined && (newest.get(first.id)?.generation ?? 0) <= keyring.generation) newest.set(first.id, keyring)
      }
      return [...newest.values()]
    },
    save: async (keyring) => {
      const [first] = keyring.keys
      // One after the other, so that a death while one is written leaves the other whole.
      for (const which of ['next', 'now']) await write(`keyring.${first!.id}.${which}.json`, JSON.stringify(keyring))
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
