import { openSessionStore } from '../../src/index.ts'
import type { SourceFile } from '../../src/types.ts'

/**
 * Reduces files to some of their conversations. The library imports files as they are, so a store in memory, of which
 * nothing stays, reads all of them and gives back an archive of what was chosen: the same entries under the same ids,
 * so that importing the files again later knows them.
 */
export async function archiveOfChosen(
  files: readonly SourceFile[],
  chosen: readonly string[],
  signal: AbortSignal,
): Promise<readonly SourceFile[]> {
  const store = await openSessionStore({ name: `import-${crypto.randomUUID()}`, modes: ['memory'] })
  try {
    const { keys } = await store.files.import(files, { signal }).result
    const known = new Set(keys)
    if (!chosen.every((key) => known.has(key)))
      throw new Error('Some of these conversations can only be imported together with the others. Select all of them.')
    return await store.files.export('archive', { keys: chosen, signal }).result
  } finally {
    await store.close()
  }
}
