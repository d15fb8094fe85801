import { SessionError } from '../../contract/errors.ts'
import { estimateContextTokens } from '../../domain/context/estimate-context-tokens.ts'
import type { ContextManager, ContextManagerParts } from '../context-manager.ts'
import { createCompactionManager } from '../create-compaction-manager.ts'
import { createContextManagers } from '../create-context-managers.ts'
import { defaultContextManager } from '../manager-registry.ts'
import type { ChatHandlerOptions } from './types.ts'

/** Makes the context manager that the options name, are, or make. */
export async function openContextManager({ contextManager = defaultContextManager, threshold }: ChatHandlerOptions, parts: ContextManagerParts, onError: (error: unknown) => void): Promise<ContextManager> {
  if (typeof contextManager === 'object') return contextManager
  if (typeof contextManager === 'function') return contextManager(parts)
  if (contextManager === defaultContextManager) return createCompactionManager({ countTokens: estimateContextTokens, ...parts }, threshold === undefined ? {} : { threshold })
  const { manager, fallback } = await createContextManagers().create(contextManager, parts)
  if (fallback !== undefined) onError(new SessionError('HandlerMissing', fallback))
  return manager
}
