import { blobHash, parseMirrorName } from './mirror-names.ts'
import { opfsDirectory } from './opfs-directory.ts'

/** Whether a store has content in a mirror, for realms that can't write to it. */
export async function hasMirrorFiles(name: string): Promise<boolean> {
  const directory = await opfsDirectory(name, false).catch(() => undefined)
  if (directory === undefined) return false
  for await (const file of directory.keys())
    if (parseMirrorName(file) !== undefined || blobHash(file) !== undefined) return true
  return false
}
