import { createKeyDrawer } from '../../client/session/draw-key.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { estimateContextTokens } from '../../domain/context/estimate-context-tokens.ts'
import { isContextManager } from '../picoclaw/is-context-manager.ts'
import type { ChatParts } from './answer-chat.ts'
import type { ChatHandlerOptions } from './chat-types.ts'
import { openContextManager } from './open-context-manager.ts'
import { createRunQueue } from './run-queue.ts'
import { summariseWithModel } from './summarise-with-model.ts'
import { tokenLimits } from './token-limits.ts'

/**
 * Makes the parts for answering chats from the options. The context manager is created when the first message arrives,
 * and again if that failed.
 *
 * @throws InvalidInput, TypeError for options with which no message could be answered
 */
export function chatParts(
  store: SessionStore,
  options: ChatHandlerOptions,
  onError: (error: unknown) => void,
  mostBodyBytes: number,
): ChatParts {
  const { model, tools = [], systemPrompt = '', summarise = summariseWithModel(model), countTokens, name } = options
  const { title, mostSteps = 20, mostWaiting = 8, mostImageBytes = 5 * 1024 * 1024 } = options
  checkContextManager(options)
  const managerParts = {
    store,
    summarise,
    ...(name === undefined ? {} : { name }),
    ...(countTokens === undefined ? {} : { countTokens }),
  }
  let contexts: ReturnType<ChatParts['openContexts']> | undefined
  return {
    store,
    model,
    tools,
    openContexts: () =>
      (contexts ??= openContextManager(options, managerParts, onError).catch((error: unknown) => {
        contexts = undefined
        throw error
      })),
    countTokens: countTokens ?? estimateContextTokens,
    ...tokenLimits(options),
    mostSteps,
    onError,
    queue: createRunQueue(mostWaiting, name),
    drawKey: createKeyDrawer(store),
    systemPrompt: typeof systemPrompt === 'function' ? systemPrompt : () => systemPrompt,
    title,
    mostBodyBytes,
    mostImageBytes,
  }
}

/** The result of a factory is checked when it is first needed. */
function checkContextManager({ contextManager }: ChatHandlerOptions): void {
  if (
    contextManager === undefined ||
    typeof contextManager === 'function' ||
    typeof contextManager === 'string' ||
    isContextManager(contextManager)
  )
    return
  throw new TypeError(
    'contextManager must be a context manager (with assemble, shrink, ingest and clear), a function that makes one, or a name.',
  )
}
