import { SessionError } from '../../contract/errors.ts'
import { kindLost } from '../../domain/kind-lost.ts'

/** More levels than a message may have, so that a cycle causes an error that names the path. */
const maxDepth = 300

/**
 * After this many members, objects that occur again are not copied again, so that an object that is referenced a
 * billion times does not take forever.
 */
const handSize = 20_000

/** The state of one copy. */
interface Room {
  left: number
  readonly copies: Map<unknown, unknown>
}

/**
 * Copies an argument at the moment of the call, because the caller may change it before the message is sent. For plain
 * data this takes a fraction of the time of `structuredClone`, so that a burst of calls doesn't block the page; and
 * Proxies (state of Vue, MobX, Svelte), which can't be cloned, are copied member by member.
 *
 * @throws InvalidInput for functions, symbols and other values that can't be sent, or would arrive as something else:
 *   instances of classes
 */
export function copyArgument<T>(argument: T): T {
  const path: (string | number)[] = []
  try {
    return copyOf(argument, path, { left: handSize, copies: new Map() }) as T
  } catch (error) {
    throw error instanceof SessionError ? error : refusal(path, `can't be read (${String(error)})`, error)
  }
}

function copyOf(value: unknown, path: (string | number)[], room: Room): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') throw refusal(path, `is a ${typeof value}`)
  if (typeof value !== 'object' || value === null) return value
  const known = room.copies.get(value)
  if (known !== undefined) return known
  if (path.length > maxDepth) throw refusal(path.slice(0, 8), 'is too deep, or holds itself')
  const isList = Array.isArray(value)
  const kind = isList ? undefined : kindLost(value)
  if (kind !== undefined) {
    // Values that arrive as what they are (a Blob, a Date) are for the store to check. What arrives as a plain object,
    // the store could not distinguish from one.
    try {
      const same: object = structuredClone(value)
      if (kindLost(same) !== undefined) return same
    } catch {
      // It can't be sent.
    }
    throw refusal(path, `is of type ${kind}`)
  }
  const keys = isList ? value.keys() : Object.keys(value)
  const copy: Record<string | number, unknown> = isList ? ([] as never) : {}
  for (const key of keys) {
    path.push(key)
    // A sparse list may have billions of holes, none of which must be visited.
    if (isList && !(key in value)) throw refusal(path, 'is a hole')
    const member = copyOf((value as typeof copy)[key], path, room)
    if (key === '__proto__') Object.defineProperty(copy, key, { value: member, enumerable: true })
    else copy[key] = member
    path.pop()
    room.left--
  }
  if (room.left < 0) room.copies.set(value, copy)
  return copy
}

const refusal = (path: readonly (string | number)[], reason: string, cause?: unknown): SessionError =>
  new SessionError(
    'InvalidInput',
    `${['argument', ...path].join('.')} ${reason}, which can't be stored. Pass plain JSON data.`,
    { cause },
  )
