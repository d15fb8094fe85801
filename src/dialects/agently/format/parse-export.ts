import { isSessionError, SessionError } from '../../../contract/errors.ts'
import { describeJson } from '../../../formats/describe-json.ts'
import { isObject } from '../../../formats/is-plain-object.ts'
import type { Breather } from '../../../pacing/breather.ts'
import { parseYaml } from './parse-yaml.ts'

/**
 * Parses a file of AgentlyMemoSession. JSON and YAML are recognised by the content. JSON is never passed to the YAML
 * parser, which takes far more time and memory.
 *
 * @throws TypeError when it contains no object, as in Agently's `load`; InvalidInput when it is neither format;
 * TooLarge
 */
export async function parseExport(text: string, breathe: Breather): Promise<Readonly<Record<string, unknown>>> {
  const found = await parse(text, breathe)
  if (isObject(found)) return found
  throw new TypeError(
    `A session of Agently is an object, but this file contains ${describeJson(found)}. Choose a file that was written by Agently's to_json or to_yaml, or by exportAgently.`,
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
    // It looks like JSON, so that the reason names the mistake in the JSON.
    if (isSessionError(error, 'InvalidInput'))
      throw new SessionError('InvalidInput', `This is neither JSON (${reason}) nor YAML. Nothing was imported.`, {
        cause: error,
      })
    throw error
  }
}
