import type { JsonObject } from '../../../contract/json.ts'
import { utf8Length } from '../../../domain/utf8.ts'

/** Bytes of a definition in addition to its texts. */
const frameCharacters = 20

/** A tool's definition for a model. */
export interface DescribedTool {
  readonly name: string
  readonly description?: string
  /** JSON schema of its arguments. */
  readonly parameters?: JsonObject
}

/**
 * Estimates the tokens of tool definitions as PicoClaw does: for each, two fifths of the UTF-8 bytes of its name, its
 * description and the JSON text of its parameters, and of 20 more, rounded down.
 *
 * Source: PicoClaw, `tokenizer.EstimateToolDefsTokens`
 */
export function estimatePicoClawToolTokens(tools: readonly DescribedTool[]): number {
  return tools.reduce((total, { name, description = '', parameters }) => {
    const bytes =
      utf8Length(name) + utf8Length(description) + (parameters === undefined ? 0 : utf8Length(goJson(parameters)))
    return total + Math.floor(((bytes + frameCharacters) * 2) / 5)
  }, 0)
}

/** JSON text of the same length as Go's, which escapes characters with a meaning in HTML. */
const goJson = (value: JsonObject): string => JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, '\\u0000')
