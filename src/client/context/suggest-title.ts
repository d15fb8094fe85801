import { isSessionError, SessionError } from '../../contract/errors.ts'
import type { Message } from '../../contract/message.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { modelMessage } from '../../domain/context/model-message.ts'
import { pairToolCalls } from '../../domain/context/pair-tool-calls.ts'
import { withoutMark } from '../../domain/context/without-mark.ts'
import { pushAll } from '../../domain/push-all.ts'
import { readEntries } from '../session/read-entries.ts'
import { unlessAborted } from '../upkeep/unless-aborted.ts'
import { callModel } from './call-model.ts'
import type { TitleFunction, TitleOptions } from './context-types.ts'

/** The most code units that the store accepts. */
const titleLimit = 1024

/**
 * Has a title made from the first messages of a session, and stores it. It is shown unless somebody chose a title, or
 * chooses one meanwhile. Nothing changes if the function fails or returns a blank string, or if the session was
 * deleted meanwhile. The function is not called if a title was chosen already or there are no messages.
 *
 * @returns the title as it was stored; `''` if none was
 * @throws what the function throws; Aborted when its time is over or the signal fires
 */
export async function suggestTitle(
  place: { readonly store: SessionStore; readonly key: string },
  make: TitleFunction,
  { signal, timeoutMs = 90_000, messages: count = 6 }: TitleOptions = {},
): Promise<string> {
  const { store, key } = place
  if (typeof make !== 'function')
    throw new TypeError(`A title is made by a function that takes messages, got ${typeof make}.`)
  if (!Number.isSafeInteger(count) || count < 1)
    throw new SessionError('InvalidInput', `messages must be a whole number from 1 up, got ${String(count)}.`)
  const reading = Promise.all([store.read(key, { last: 1 }), store.getMeta(key)])
  const [{ session }, meta] = await unlessAborted(reading, signal, 'Making a title')
  if (meta === undefined || meta.titleSource === 'user') return ''
  const messages = await readFirst(store, key, count, signal)
  if (messages.length === 0) return ''
  const suggestedTitle = cut(
    (await callModel((ending) => make(messages, { signal: ending }), { what: 'The title', timeoutMs, signal })).trim(),
  )
  // A session that was deleted meanwhile must not come back with a title that was made of it, nor another one get it.
  if (suggestedTitle === '' || (await store.getMeta(key))?.createdAt !== meta.createdAt) return ''
  try {
    await store.updateMeta(key, { suggestedTitle }, { session })
  } catch (error) {
    if (isSessionError(error, 'SessionNotFound')) return ''
    throw error
  }
  return suggestedTitle
}

async function readFirst(
  store: SessionStore,
  key: string,
  count: number,
  signal: AbortSignal | undefined,
): Promise<readonly Message[]> {
  const messages: Message[] = []
  for await (const entries of readEntries(store, key, signal)) {
    pushAll(
      messages,
      entries.flatMap((entry) => modelMessage(entry) ?? []),
    )
    if (messages.length >= count) break
  }
  return pairToolCalls(messages.slice(0, count)).map(withoutMark)
}

/** Cuts a title to what can be stored, without half a character at its end. */
function cut(title: string): string {
  if (title.length <= titleLimit) return title
  const isHigh = (title.charCodeAt(titleLimit - 1) & 0xfc00) === 0xd800
  return title.slice(0, isHigh ? titleLimit - 1 : titleLimit).trimEnd()
}
