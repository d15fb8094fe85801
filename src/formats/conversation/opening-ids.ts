import { isObject } from '../is-plain-object.ts'
import { contentHash, contentOf } from './content-nodes.ts'

/**
 * Gives conversations of one file their ids.
 *
 * @param id - the id in the source, if there is one
 */
export type OpeningIds = (id: unknown, messages: readonly unknown[]) => string

/**
 * A conversation without an id in its source is identified by its opening: everything up to the first message of a user
 * and the next one, because many begin with the same word. That stays the same when it grows. If several conversations
 * of a file have the same opening (or the same id), a number is appended to the later ones.
 */
export function createOpeningIds(): OpeningIds {
  const counts = new Map<string, number>()
  return (id, messages) => {
    const named = typeof id === 'string' ? id.trim() : typeof id === 'number' ? String(id) : ''
    const opener = messages.findIndex((message) => isObject(message) && message['role'] === 'user')
    const own =
      named !== ''
        ? named
        : contentHash(
            messages
              .slice(0, opener < 0 ? 1 : opener + 2)
              .map(contentOf)
              .join('\n'),
          )
    const n = (counts.get(own) ?? 0) + 1
    counts.set(own, n)
    return n === 1 ? own : `${own}~${n}`
  }
}
