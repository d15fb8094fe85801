import { isObject } from '../../domain/is-object.ts'
import { readUser } from './check-presence-options.ts'
import type { DraftPiece, PresenceState } from './presence-state.ts'

const longestName = 200
/** Characters of a draft that one state carries. */
export const mostTail = 2000

/**
 * Reads what another device published, and copies it member by member, because anything may have been sent. `undefined`
 * for what is not a state.
 */
export function readPresenceState(value: unknown): PresenceState | undefined {
  if (!isObject(value) || !isName(value['device'])) return undefined
  const user = readUser(value['user'])
  const draft = value['draft'] === undefined ? undefined : readPiece(value['draft'])
  if (user === undefined || draft === null) return undefined
  return {
    device: value['device'],
    user,
    ...(value['typing'] === true ? { typing: true } : {}),
    ...(draft === undefined ? {} : { draft }),
  }
}

function readPiece(value: unknown): DraftPiece | null {
  if (!isObject(value)) return null
  const { id, role, from, text } = value
  if (!isName(id) || !isName(role) || typeof text !== 'string' || text.length > mostTail) return null
  return typeof from === 'number' && Number.isSafeInteger(from) && from >= 0 ? { id, role, from, text } : null
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= longestName
