import type { SessionStore } from '../../../contract/store/session-store.ts'
import type { Engine } from '../engine.ts'
import { inTerm } from '../lifecycle/term-method.ts'
import { findReunions, ownerOf } from '../names/name-owner.ts'
import { reunite } from '../names/reunite.ts'
import { runNamed } from '../run-named.ts'
import { checkKey } from '../writing/input.ts'
import { mergeMutation } from './merge.ts'

/** Merges entries from elsewhere, and then reunites sessions that they show to belong together. */
export function createMergeMethod(engine: Engine): Pick<SessionStore, 'merge'> {
  const { backend, writer } = engine
  return {
    merge: async (key, entries, options) => {
      const mutation = inTerm(mergeMutation(backend, entries, options), options)
      // An import concerns this device alone, so that no name changes its owner.
      if (options?.isKey !== true) return runNamed(engine, key, mutation)
      const session = checkKey(key)
      const owner = await ownerOf(backend, session, await writer.rows(session))
      const result = await (owner === undefined
        ? writer.run(session, mutation)
        : reunite(engine, { session, owner }, mutation, options.without))
      const rows = await writer.rows(session)
      // What the session has is no news of the logs that are continued in it.
      const { having: _, ...others } = options
      const nothing = inTerm(mergeMutation(backend, [], others), others)
      for (const reunion of rows === undefined ? [] : await findReunions(backend, rows))
        await reunite(engine, reunion, nothing, options.without)
      return result
    },
  }
}
