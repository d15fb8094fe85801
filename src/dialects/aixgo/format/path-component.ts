import { SessionError } from '../../../contract/errors.ts'

/**
 * Refuses a text that must not become a part of a path. Source: Aixgo, `validatePathComponent`
 *
 * @param what - `agent name`, `session ID`, `checkpoint ID`
 * @throws InvalidPathComponent
 */
export function pathComponent(text: string, what: string): string {
  const problem =
    text === ''
      ? 'path component cannot be empty'
      : /[/\\]|\.\./.test(text)
        ? 'invalid path component: contains path separator or traversal sequence'
        : undefined
  if (problem !== undefined)
    throw new SessionError(
      'InvalidPathComponent',
      `invalid ${what}: ${problem}, got ${JSON.stringify(text)}. Change the ${what === 'agent name' ? 'agentId' : 'id'} before you export it.`,
    )
  return text
}
