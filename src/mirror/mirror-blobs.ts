import { blobGraceMs } from '../contract/backend.ts'
import { contentHash } from '../storage/content-hash.ts'
import { blobHash, blobName } from './mirror-names.ts'
import type { MirroredPlace } from './mirrored-place.ts'

/** Copies the blobs that a session names and the mirror lacks. @param files - the files of the mirror */
export async function copyBlobs(
  { backend, folder, mirror, sealing }: MirroredPlace,
  session: number,
  files: ReadonlySet<string>,
): Promise<void> {
  for (const { hash, wasPut } of (await backend.blobReferences(session)) ?? []) {
    if (!wasPut || !mirror.isOn()) continue
    // `verify` reports a blob that can't be read.
    const blob = await backend.getBlob(hash).catch(() => undefined)
    // A worker that died may have left part of a file. The right length of a sealed blob is not known.
    const held = files.has(blobName(hash)) ? (await folder.read(blobName(hash)))?.size : undefined
    if (blob === undefined || (sealing === undefined ? held === blob.size : held !== undefined)) continue
    await mirror.putBlob(hash, (await sealing?.sealBlob(hash, blob)) ?? blob)
  }
}

/**
 * Restores the blobs that the database lacks. A blob that no entry has named for a long time was collected, and is
 * removed from the mirror too.
 *
 * @param isComplete - whether the database has all entries of the mirror by now, so that an unnamed blob can be
 *   recognised
 * @returns how many were restored
 */
export async function refillBlobs(
  { backend, folder, store, sealing }: MirroredPlace,
  isComplete: boolean,
): Promise<number> {
  let named: ReadonlySet<string> | undefined
  let count = 0
  for (const name of await folder.list()) {
    const hash = blobHash(name)
    if (hash === undefined || (await store.getBlob(hash).catch(() => undefined)) !== undefined) continue
    const held = await folder.read(name)
    named ??= await namedIn(backend)
    // A recent blob may still be named.
    if (
      !named.has(hash) &&
      Date.now() - ((held as Partial<File> | undefined)?.lastModified ?? Date.now()) > blobGraceMs
    ) {
      if (isComplete) await folder.remove(name)
      continue
    }
    const blob = held && (await (sealing?.openBlob(hash, held).catch(() => undefined) ?? held))
    // An incomplete file has another hash, and would only waste space.
    if (blob === undefined || (await contentHash(blob)) !== hash) continue
    await store.putBlob(blob)
    count++
  }
  return count
}

async function namedIn(backend: MirroredPlace['backend']): Promise<ReadonlySet<string>> {
  const named = new Set<string>()
  for (const { session } of await backend.listSessions())
    for (const { hash } of (await backend.blobReferences(session)) ?? []) named.add(hash)
  return named
}
