import { SessionError } from '../../contract/errors.ts'
import type { ContextManager, ContextManagerFactory, ContextManagerParts } from './context-manager.ts'
import { isContextManager } from './is-context-manager.ts'

/** The manager that is used by default, and when another one can't be created. */
export const defaultContextManager = 'compaction'

/** The result of creating a manager. */
export interface ContextManagerChoice {
  /** The name of the created manager. */
  readonly name: string
  readonly manager: ContextManager
  /** Why it is not the requested one; absent when it is. */
  readonly fallback?: string
}

/** Context managers by name. */
export interface ContextManagers {
  /** @throws InvalidInput when the name is blank or already used; TypeError when the factory is not a function */
  register(name: string, factory: ContextManagerFactory): void
  /** The names in the order of registration. */
  names(): readonly string[]
  /**
   * Creates a manager. If there is none of this name, or its factory fails, the default one is created, and the result
   * contains the reason.
   *
   * @param name - `undefined`: the default
   */
  create(name: string | undefined, parts: ContextManagerParts): Promise<ContextManagerChoice>
}

/**
 * Creates an independent registry.
 *
 * @param builtIn - its first managers; they must include the default one
 * Source: PicoClaw, `RegisterContextManager`; the reason that PicoClaw logs is part of the result here
 */
export function createManagerRegistry(builtIn: Readonly<Record<string, ContextManagerFactory>>): ContextManagers {
  const factories = new Map(Object.entries(builtIn))

  async function make(
    name: string,
    factory: ContextManagerFactory | undefined,
    parts: ContextManagerParts,
  ): Promise<ContextManager> {
    if (factory === undefined)
      throw new SessionError(
        'HandlerMissing',
        `No context manager has the name "${name}". The registered names are ${[...factories.keys()].join(', ')}.`,
      )
    const manager: unknown = await factory(parts)
    if (!isContextManager(manager))
      throw new TypeError(
        `The factory of the context manager "${name}" returned an invalid one: it lacks assemble, shrink, ingest or clear.`,
      )
    return manager
  }

  return {
    register: (name, factory) => {
      if (typeof name !== 'string' || name.trim() === '')
        throw new SessionError('InvalidInput', 'A context manager needs a name.')
      if (typeof factory !== 'function') throw new TypeError(`The context manager "${name}" needs a factory function.`)
      if (factories.has(name))
        throw new SessionError(
          'InvalidInput',
          `A context manager "${name}" is already registered. Choose another name.`,
        )
      factories.set(name, factory)
    },
    names: () => [...factories.keys()],
    create: async (name = defaultContextManager, parts) => {
      try {
        return { name, manager: await make(name, factories.get(name), parts) }
      } catch (error) {
        if (name === defaultContextManager) throw error
        const manager = await make(defaultContextManager, factories.get(defaultContextManager), parts)
        return {
          name: defaultContextManager,
          manager,
          fallback: error instanceof Error ? error.message : String(error),
        }
      }
    },
  }
}
