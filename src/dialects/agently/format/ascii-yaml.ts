import { Document, visit } from 'yaml'
import type { JsonValue } from '../../../contract/json.ts'
import { yamlSchema } from './yaml-schema.ts'

/** Text that needs no double quotes: printable ASCII and line breaks. */
const isPlainText = /^[\n\x20-\x7e]*$/

/**
 * YAML as Python's `safe_dump` writes it: block style, keys sorted, ASCII only. Unlike there, long lines are not
 * broken, and text of several lines is written in blocks, which are easier to read.
 */
export function asciiYaml(value: JsonValue): string {
  const document = new Document(value, { schema: yamlSchema, aliasDuplicateObjects: false })
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && !isPlainText.test(node.value)) node.type = 'QUOTE_DOUBLE'
    },
  })
  const text = document.toString({
    indentSeq: false,
    lineWidth: 0,
    singleQuote: true,
    blockQuote: 'literal',
    doubleQuotedMinMultiLineLength: Infinity,
  })
  // All of these characters are within double quotes.
  return text.replace(/[^\n\x20-\x7e]/gu, escaped)
}

function escaped(character: string): string {
  const code = character.codePointAt(0)!
  const digits = code.toString(16).toUpperCase()
  if (code < 0x100) return `\\x${digits.padStart(2, '0')}`
  return code < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`
}
