import { createMemoManager } from '../agently/create-memo-manager.ts'
import { createCompactionManager } from '../picoclaw/create-compaction-manager.ts'
import { createPicoClawManager } from '../picoclaw/create-picoclaw-manager.ts'
import { type ContextManagers, createManagerRegistry } from '../picoclaw/manager-registry.ts'

/**
 * Makes a registry with the managers that come with the package: `compaction`, the default, `memo` (without a model of
 * its own: lite), and `picoclaw`.
 */
export function createContextManagers(): ContextManagers {
  return createManagerRegistry({
    compaction: (parts) => createCompactionManager(parts),
    memo: createMemoManager(),
    picoclaw: (parts) => createPicoClawManager(parts),
  })
}
