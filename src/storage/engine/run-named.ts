import type { Engine } from './engine.ts'
import { checkKey } from './writing/input.ts'
import type { Mutation } from './writing/mutation.ts'

/**
 * Changes the session that a key or alias names. If another tab moves its history to another session in the meantime,
 * the change is made in the session that has it then.
 *
 * @param gone - where the history had moved when the name was looked up: if it leads here nevertheless, that session is
 *   gone, and the change is made here
 */
export async function runNamed<Facts, Result>(
  engine: Pick<Engine, 'writer' | 'names'>,
  text: string,
  mutation: Mutation<Facts, Result>,
  gone?: string,
): Promise<Result> {
  const { writer, names } = engine
  return writer.run(names.known(checkKey(text)) ?? (await names.resolve(text)), mutation, (promotedTo) => {
    if (promotedTo === gone) return undefined
    names.forget()
    return runNamed(engine, text, mutation, promotedTo)
  })
}
