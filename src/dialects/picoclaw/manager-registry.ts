import { SessionError } from '../../contract/errors.ts'
import type { ContextManager, ContextManagerFactory, ContextManagerParts } from './context-manager.ts'
import { isContextManager } from './is-context-manager.ts'

/** The manager that is taken when none is asked for, and when another can't be had. */
export const defaultContextManager = 'compaction'

/** What came of asking for a manager. */
export interface ContextManagerChoice {
  /** Of the manager that there is. */
  readonly name: string
  readonly manager: ContextManager
  /** Why it is not the one that was asked for; absent when it is. */
  readonly fallback?: string
}

/** Context managers by name. */
export interface ContextManagers {
  /** @throws InvalidInput when the name is blank or taken; TypeError when the factory is no function */
  register(name: string, factory: ContextManagerFactory): void
  /** In the order they were registered. */
  names(): readonly string[]
  /**
   * Makes a manager. Where there is none of this name, or its factory fails, the default is made, and the result says
   * why.
   *
   * @param name - `undefined`: the default
   */
  create(name: string | undefined, parts: ContextManagerParts): Promise<ContextManagerChoice>
}

/**
 * Makes a registry of its own.
 *
 * @param builtIn - what it begins with; one of the default's name must be there
 * Source: PicoClaw, `RegisterContextManager`; what it logs, the result says here
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
        `No context manager has the name "${name}". There are ${[...factories.keys()].join(', ')}.`,
      )
    const manager: unknown = await factory(parts)
    if (!isContextManager(manager))
      throw new TypeError(
        `The factory of the context manager "${name}" gave none: it lacks assemble, shrink, ingest or clear.`,
      )
    return manager
  }

  return {
    register: (name, factory) => {
      if (typeof name !== 'string' || name.trim() === '')
        throw new SessionError('InvalidInput', 'A context manager needs a name.')
      if (typeof factory !== 'function')
        throw new TypeError(`The context manager "${name}" needs a factory, a function that makes it.`)
      if (factories.has(name))
        throw new SessionError('InvalidInput', `There is a context manager "${name}" already. Choose another name.`)
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
