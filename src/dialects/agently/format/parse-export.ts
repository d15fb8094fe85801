import { isSessionError, SessionError } from '../../../contract/errors.ts'
import { describeJson } from '../../../formats/describe-json.ts'
import { isObject } from '../../../formats/is-plain-object.ts'
import type { Breather } from '../../../pacing/breather.ts'
import { parseYaml } from './parse-yaml.ts'

/**
 * What a file of AgentlyMemoSession holds. JSON or YAML is told by its content; what is JSON never goes through the
 * YAML parser, which takes far more time and memory.
 *
 * @throws TypeError when it holds no object, as Agently's `load` does; InvalidInput when it is neither; TooLarge
 */
export async function parseExport(text: string, breathe: Breather): Promise<Readonly<Record<string, unknown>>> {
  const found = await parse(text, breathe)
  if (isObject(found)) return found
  throw new TypeError(
    `A session of Agently is loaded from an object, and this file holds ${describeJson(found)}. Choose what its to_json or to_yaml wrote, or exportAgently.`,
  )
}

async function parse(text: string, breathe: Breather): Promise<unknown> {
  if (!/^\s*["[{]/.test(text)) return parseYaml(text, breathe)
  let reason: string
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    reason = (error as Error).message
  }
  try {
    return await parseYaml(text, breathe)
  } catch (error) {
    // It looks like JSON, so that is what should be mended.
    if (isSessionError(error, 'InvalidInput'))
      throw new SessionError('InvalidInput', `This is neither JSON (${reason}) nor YAML. Nothing was imported.`, {
        cause: error,
      })
    throw error
  }
}
