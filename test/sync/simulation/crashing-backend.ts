import type { StorageBackend } from '../../../src/contract/backend.ts'
import type { WriteBatch } from '../../../src/contract/write-batch.ts'
import { clonePlain } from '../../../src/storage/clone-plain.ts'
import { isHard } from '../../../src/storage/engine/writing/strictest.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

/** A database that forgets what was not flushed when its device crashes. */
export interface CrashingBackend extends StorageBackend {
  /** What was stored, in order. */
  readonly commits: readonly WriteBatch[]
  /** How many of them survive a power cut. */
  hardened(): number
  /** Dies with the commit after so many more: it is stored or not, and nobody hears of it. */
  dieAfter(commits: number, isStored: boolean): void
  /** Nothing is stored any more. */
  die(): void
}

/** @param past - what an earlier one had stored: all of it is there, and hard */
export async function createCrashingBackend(past: readonly WriteBatch[] = []): Promise<CrashingBackend> {
  const memory = createMemoryBackend()
  for (const batch of past) await memory.commit(batch, 'strict')
  const commits = [...past]
  let hard = commits.length
  let left = Infinity
  let isLastStored = false
  const died = (): never => {
    throw new Error('the device crashed')
  }
  return {
    ...memory,
    commits,
    hardened: () => hard,
    dieAfter: (count, isStored) => {
      left = count
      isLastStored = isStored
    },
    die: () => (left = -1),
    commit: async (batch, durability) => {
      if (left < 0 || (left === 0 && !isLastStored)) {
        left = -1
        died()
      }
      const outcome = await memory.commit(batch, durability)
      if (!outcome.stored) return outcome
      // The engine goes on with what it gave; the memory backend keeps a copy of its own, so this one must be too.
      commits.push(clonePlain(batch))
      if (isHard(durability)) hard = commits.length
      left -= 1
      if (left < 0) died()
      return outcome
    },
    flush: async () => {
      if (left < 0) died()
      hard = commits.length
    },
  }
}
