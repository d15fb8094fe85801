import { SessionError } from '../../contract/errors.ts'

/**
 * Whether a text can be the id of an agent or a session: a path segment that no server, proxy or file system interprets
 * in another way.
 */
export function isSoundId(id: string): boolean {
  return id.trim() !== '' && id.length <= 256 && id !== '.' && !/[/\\]|\.\.|[\p{Cc}\p{Cs}]/u.test(id)
}

/** @throws InvalidPathComponent unless it is a sound id */
export function checkId(id: string, what: 'agent' | 'session' | 'checkpoint'): string {
  if (!isSoundId(id)) {
    throw new SessionError(
      'InvalidPathComponent',
      `The id of the ${what} can't be ${JSON.stringify(id.slice(0, 60))}: it must be 1 to 256 characters, not all blank, without "/", "\\", ".." and control characters.`,
    )
  }
  return id
}
