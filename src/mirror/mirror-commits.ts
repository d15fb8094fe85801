import type { CoreBackend, WriteBatch } from '../contract/backend.ts'
import type { VersionVector } from '../contract/entry.ts'
import { knownVector } from '../domain/arrive.ts'
import { erasureText, textsOfWrite } from './mirrored-text.ts'

/** What hears of commits. */
export interface CommitMirror {
  /** Whether it has kept everything so far. */
  isOn(): boolean
  /** @returns what to say of it once it is known whether it was stored */
  begin(texts: Iterable<string>): MirroredCommit
  /** Sessions are gone for good: keeps nothing of them. */
  erase(texts: readonly { readonly key: string; readonly text: string }[]): Promise<void>
  putBlob(hash: string, blob: Blob): Promise<void>
  close(): Promise<void>
}

export interface MirroredCommit {
  /** @returns what the answer to the commit has to wait for */
  stored(): Promise<void> | undefined
  undone(): void
}

/**
 * A backend whose entries and blobs are written to a mirror too. An entry is written there while its transaction is under way, so that it
 * costs next to no time; where that fails, the mirror hears of it. A commit never fails because of its mirror.
 */
export function mirrorCommits<Backend extends CoreBackend>(backend: Backend, mirror: CommitMirror): Backend {
  return {
    ...backend,
    commit: async (batch, durability) => {
      const vectors = batch.erase.length === 0 ? undefined : await knownVectors(backend, batch)
      const storing = backend.commit(batch, durability)
      const mirrored = mirror.begin(textsOf(batch))
      const outcome = await storing.catch((error: unknown) => {
        mirrored.undone()
        throw error
      })
      if (outcome.stored) {
        const writing = mirrored.stored()
        if (writing !== undefined) await writing
      } else mirrored.undone()
      if (outcome.stored && vectors !== undefined) await mirror.erase(batch.erase.map(({ key }) => ({ key, text: erasureText({ key, vv: vectors.get(key) ?? {} }) })))
      return outcome
    },
    putBlob: async (hash, blob) => {
      await backend.putBlob(hash, blob)
      await mirror.putBlob(hash, blob)
    },
    close: async () => {
      await backend.close()
      await mirror.close()
    },
  }
}

function* textsOf({ sessions }: WriteBatch): Generator<string, void, undefined> {
  for (const write of sessions) yield* textsOfWrite(write)
}

/** What the writers of sessions that are to be erased have made. */
async function knownVectors(backend: CoreBackend, { erase }: WriteBatch): Promise<ReadonlyMap<string, VersionVector>> {
  const rows = await Promise.all(erase.map(({ key }) => backend.loadSession(key)))
  return new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.hot.key, knownVector(row)] as const])))
}
