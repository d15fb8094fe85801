import { blobGraceMs } from '../contract/backend.ts'
import { contentHash } from '../storage/content-hash.ts'
import { blobHash, blobName } from './mirror-names.ts'
import type { MirroredPlace } from './mirrored-place.ts'

/** Gives the mirror the blobs that a session names and that it lacks. @param files - that it has */
export async function copyBlobs({ backend, folder, mirror, sealing }: MirroredPlace, session: number, files: ReadonlySet<string>): Promise<void> {
  for (const { hash, wasPut } of (await backend.blobReferences(session)) ?? []) {
    if (!wasPut || !mirror.isOn()) continue
    // One that can't be read is told by `verify`.
    const blob = await backend.getBlob(hash).catch(() => undefined)
    // The worker that was writing it may have died. How long a sealed one is to be is not known.
    const held = files.has(blobName(hash)) ? (await folder.read(blobName(hash)))?.size : undefined
    if (blob === undefined || (sealing === undefined ? held === blob.size : held !== undefined)) continue
    await mirror.putBlob(hash, (await sealing?.sealBlob(hash, blob)) ?? blob)
  }
}

/**
 * Puts back the blobs that are not there. What nobody has named for long was collected, and leaves the mirror too.
 *
 * @param isComplete - whether all that the mirror holds is in the database by now, so that what names nothing can be told
 * @returns how many came back
 */
export async function refillBlobs({ backend, folder, store, sealing }: MirroredPlace, isComplete: boolean): Promise<number> {
  let named: ReadonlySet<string> | undefined
  let count = 0
  for (const name of await folder.list()) {
    const hash = blobHash(name)
    if (hash === undefined || (await store.getBlob(hash).catch(() => undefined)) !== undefined) continue
    const held = await folder.read(name)
    named ??= await namedIn(backend)
    // What was put lately may yet be named.
    if (!named.has(hash) && Date.now() - ((held as Partial<File> | undefined)?.lastModified ?? Date.now()) > blobGraceMs) {
      if (isComplete) await folder.remove(name)
      continue
    }
    const blob = held && (await (sealing?.openBlob(hash, held).catch(() => undefined) ?? held))
    // A file that was not written to its end has another hash, and would only take room.
    if (blob === undefined || (await contentHash(blob)) !== hash) continue
    await store.putBlob(blob)
    count++
  }
  return count
}

async function namedIn(backend: MirroredPlace['backend']): Promise<ReadonlySet<string>> {
  const named = new Set<string>()
  for (const { session } of await backend.listSessions()) for (const { hash } of (await backend.blobReferences(session)) ?? []) named.add(hash)
  return named
}
