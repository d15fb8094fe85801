import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { treeLaws } from './tree-laws.ts'
import type { TreeStep } from './tree-world.ts'
import { growTree } from './tree-world.ts'

/** Grows one tree in memory and says what a law finds wrong with it. What throws is wrong too. */
export async function treeProblems(law: keyof typeof treeLaws, steps: readonly TreeStep[]): Promise<readonly string[]> {
  try {
    return await treeLaws[law](await growTree(createSessionStore(createMemoryBackend()), 'tree', steps))
  } catch (error) {
    return [String(error)]
  }
}
