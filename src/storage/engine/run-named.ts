import type { Engine } from './engine.ts'
import { checkKey } from './writing/input.ts'
import type { Mutation } from './writing/mutation.ts'

/**
 * Changes the session that a key or alias names. If another tab moves its history to another session in the meantime,
 * the change is made in the session that has it then.
 */
export async function runNamed<Facts, Result>(
  engine: Pick<Engine, 'writer' | 'names'>,
  text: string,
  mutation: Mutation<Facts, Result>,
): Promise<Result> {
  const { writer, names } = engine
  return writer.run(names.known(checkKey(text)) ?? (await names.resolve(text)), mutation, () => {
    names.forget()
    return runNamed(engine, text, mutation)
  })
}
