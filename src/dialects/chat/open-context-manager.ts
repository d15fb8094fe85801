import { SessionError } from '../../contract/errors.ts'
import { estimateContextTokens } from '../../domain/context/estimate-context-tokens.ts'
import type { ContextManager, ContextManagerParts } from '../picoclaw/context-manager.ts'
import { createCompactionManager } from '../picoclaw/create-compaction-manager.ts'
import { isContextManager } from '../picoclaw/is-context-manager.ts'
import { defaultContextManager } from '../picoclaw/manager-registry.ts'
import type { ChatHandlerOptions } from './chat-types.ts'
import { createContextManagers } from './create-context-managers.ts'

/**
 * Opens the context manager of the options, which may be a manager, a factory or a name.
 *
 * @throws TypeError when the factory returns no context manager; errors of the factory
 */
export async function openContextManager(
  options: ChatHandlerOptions,
  parts: ContextManagerParts,
  onError: (error: unknown) => void,
): Promise<ContextManager> {
  const { contextManager = defaultContextManager, contextManagers = createContextManagers(), threshold } = options
  const openDefault = (): ContextManager =>
    createCompactionManager(
      { countTokens: estimateContextTokens, ...parts },
      threshold === undefined ? {} : { threshold },
    )
  if (typeof contextManager === 'object') return contextManager
  if (typeof contextManager === 'function') {
    const made: unknown = await contextManager(parts)
    if (!isContextManager(made))
      throw new TypeError(
        'The result of contextManager is not a context manager: it lacks assemble, shrink, ingest or clear.',
      )
    return made
  }
  if (contextManager === defaultContextManager) return openDefault()
  const { manager, fallback } = await contextManagers.create(contextManager, parts)
  if (fallback === undefined) return manager
  onError(new SessionError('HandlerMissing', fallback))
  return openDefault()
}
