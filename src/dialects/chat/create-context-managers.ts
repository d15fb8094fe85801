import { createMemoManager } from '../agently/create-memo-manager.ts'
import { createCompactionManager } from '../picoclaw/create-compaction-manager.ts'
import { createPicoClawManager } from '../picoclaw/create-picoclaw-manager.ts'
import { type ContextManagers, createManagerRegistry } from '../picoclaw/manager-registry.ts'

/**
 * Makes a registry with the managers of the package: `compaction`, the default; `memo`, in lite mode because it has no
 * model of its own; and `picoclaw`.
 */
export function createContextManagers(): ContextManagers {
  return createManagerRegistry({
    compaction: (parts) => createCompactionManager(parts),
    memo: createMemoManager(),
    picoclaw: (parts) => createPicoClawManager(parts),
  })
}
