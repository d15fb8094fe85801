import { isObject } from '../is-plain-object.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * The descriptive fields of a conversation's tools. For a tool on a server (MCP), address and credentials (`headers`,
 * `authorization`) are left out, because they are secrets of the app that it came from.
 */
export function readTools(found: unknown): readonly Fields[] | undefined {
  if (!Array.isArray(found)) return undefined
  return found
    .filter(isObject)
    .map((tool) => ({
      ...described(tool),
      ...(isObject(tool['function']) ? { function: described(tool['function']) } : {}),
    }))
}

function described(tool: Fields): Fields {
  const fields = [
    'type',
    'name',
    'description',
    'parameters',
    'strict',
    'server_label',
    'server_description',
    'allowed_tools',
  ]
  return Object.fromEntries(fields.flatMap((field) => (tool[field] === undefined ? [] : [[field, tool[field]]])))
}
