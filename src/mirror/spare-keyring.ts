import type { Keyring } from '../contract/encryption.ts'
import type { MirrorFolder } from './mirror-folder.ts'

/** Where a mirror keeps the keyring of its database, without which what it holds of a lost one could not be read. */
const keyringFile = 'keyring.json'

/** @throws what the folder throws */
export async function loadSpareKeyring(folder: MirrorFolder): Promise<Keyring | undefined> {
  const text = await (await folder.read(keyringFile))?.text()
  return text ? (JSON.parse(text) as Keyring) : undefined
}

/** Written once more beside it first, so that a death in between leaves one of them whole. */
export async function saveSpareKeyring(folder: MirrorFolder, keyring: Keyring): Promise<void> {
  const text = JSON.stringify(keyring)
  if ((await (await folder.read(keyringFile))?.text()) === text) return
  const bytes = new TextEncoder().encode(text)
  const file = await folder.open(keyringFile)
  // Whoever has it open writes the same, or a newer one.
  if (file === undefined) return
  try {
    // Longer than any before, so that there is no moment in which it is empty.
    file.write(bytes, { at: 0 })
    file.truncate(bytes.length)
    file.flush()
  } finally {
    file.close()
  }
}
