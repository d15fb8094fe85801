import type { Session } from '../../client/session-contract.ts'
import { isSessionError } from '../../contract/errors.ts'
import type { DeletedOptions, SessionOptions } from '../../contract/store/write-options.ts'
import { isMendable } from '../is-mendable.ts'
import { unless } from '../unless.ts'
import { growReply } from './grow-reply.ts'
import type { KnownThread } from './known-thread.ts'
import { numberNow, sessionOf } from './reply-session.ts'
import { toStored } from './thread-message.ts'
import type { ThreadMessage } from './thread-types.ts'

/** A message that is stored already is stored again at most this often while it grows. */
export const paceMs = 1000

/**
 * Stores what differs between the messages that a chat shows and what is known to be stored.
 *
 * @param isEnd - whether the last reply is stored as it is; otherwise it may still grow
 * @param report - told of messages that can't be stored
 * @throws what a later try may mend
 */
export async function writeThread(
  session: Session<object>,
  known: KnownThread,
  messages: readonly ThreadMessage[],
  isEnd: boolean,
  report: (error: unknown) => void,
): Promise<void> {
  // A chat sets all of its messages for each piece of a reply, of which only the last has changed.
  const { shown } = known
  const same = shown === undefined ? 0 : countSame(shown, messages)
  known.shown = undefined
  if (shown === undefined || lacksSome(messages.slice(same), shown.slice(same)))
    await removeMissing(session, known, messages)
  // The last message before may not be complete yet, though it is the same.
  for (let at = Math.max(0, Math.min(same, (shown?.length ?? 0) - 1)); at < messages.length; at++) {
    const message = messages[at]!
    if (known.messages.get(message.id) === message) continue
    const canGrow = !isEnd && at === messages.length - 1 && message.role === 'assistant'
    try {
      if (await store(session, known, message, canGrow)) known.messages.set(message.id, message)
    } catch (error) {
      if (isMendable(error)) throw error
      await refuse(known, message, error, report)
    }
  }
  known.shown = [...messages]
}

/** How many messages both lists begin with. */
function countSame(one: readonly ThreadMessage[], other: readonly ThreadMessage[]): number {
  const differs = one.findIndex((message, at) => message !== other[at])
  return differs === -1 ? one.length : differs
}

function lacksSome(messages: readonly ThreadMessage[], wanted: readonly ThreadMessage[]): boolean {
  const ids = new Set(messages.map(({ id }) => id))
  return wanted.some(({ id }) => !ids.has(id))
}

/** Removes what this tab had and the chat does not show any more. */
async function removeMissing(
  session: Session<object>,
  known: KnownThread,
  messages: readonly ThreadMessage[],
): Promise<void> {
  const ids = new Set(messages.map(({ id }) => id))
  if (known.reply !== undefined && !ids.has(known.reply.id)) await dropReply(known)
  // A chat that went on before its messages were loaded did not take them: it never had what it does not show.
  if (known.isLoaded && messages.every(({ id }) => !known.messages.has(id))) known.messages.clear()
  known.isLoaded = false
  for (const id of known.messages.keys())
    if (!ids.has(id)) {
      await session.remove(known.places.get(id) ?? { mid: id }).catch(unless('InvalidInput', 'SessionNotFound'))
      known.messages.delete(id)
    }
}

/** @returns whether the message is stored; otherwise it is still to come */
async function store(
  session: Session<object>,
  known: KnownThread,
  message: ThreadMessage,
  canGrow: boolean,
): Promise<boolean> {
  const isKnown = known.messages.has(message.id)
  // An empty reply says nothing yet, and its id may still change.
  if (canGrow && (isKnown ? Date.now() - known.wroteAt < paceMs : message.parts.length === 0)) return false
  if (canGrow && !isKnown && known.reply === undefined) {
    const stream = session.stream({ mid: message.id, role: message.role })
    const begunIn = stream.id.then(
      () => sessionOf(session).catch(() => 'unknown' as const),
      () => undefined,
    )
    known.reply = { id: message.id, stream, grow: growReply(stream), begunIn }
  }
  if (message.id === known.reply?.id) {
    known.reply.grow(message)
    if (canGrow) return false
    await endReply(session, known, message)
  } else await put(session, known, message)
  known.wroteAt = Date.now()
  return true
}

async function put(
  session: Session<object>,
  { places }: KnownThread,
  message: ThreadMessage,
  options: DeletedOptions & SessionOptions = {},
): Promise<void> {
  const place = places.get(message.id)
  if (place === undefined) await session.entries.put(toStored(message), { mid: message.id, ...options })
  else await session.edit(place, toStored(message))
}

/**
 * Stores a reply under its id and then drops its draft: another tab that follows the same run may store the same reply at
 * the same moment. A draft begins its session: one that is not there any more was deleted, and stays so.
 */
async function endReply(session: Session<object>, known: KnownThread, message: ThreadMessage): Promise<void> {
  const begunIn = await known.reply!.begunIn
  const place = begunIn === undefined || begunIn === 'unknown' ? {} : { session: await numberNow(session, begunIn) }
  await put(session, known, message, begunIn === undefined ? {} : { onDeleted: 'refuse', ...place })
  await dropReply(known)
}

/** Ends a reply that the chat does not show, or that is stored otherwise. With a deleted session, it is gone already. */
export async function dropReply(known: KnownThread): Promise<void> {
  const { reply } = known
  known.reply = undefined
  await reply?.stream.abort({ keep: false })
}

/** A message that can't be stored must not hold up those behind it, nor be tried again before it changes. */
async function refuse(
  known: KnownThread,
  message: ThreadMessage,
  error: unknown,
  report: (error: unknown) => void,
): Promise<void> {
  const { reply, refused } = known
  const isGone = isSessionError(error, 'SessionNotFound')
  if (message.id === reply?.id) {
    known.reply = undefined
    // What was journalled of it is kept. The error that is reported says why it is no more.
    await reply.stream.abort({ keep: !isGone, stopped: false }).catch(() => undefined)
  }
  known.messages.set(message.id, message)
  if (!isGone || !refused.has(message.id)) report(error)
  if (isGone) refused.add(message.id)
}
