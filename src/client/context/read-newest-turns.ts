import type { EntryView } from '../../contract/entry.ts'
import type { Message } from '../../contract/message.ts'
import type { EntryPage, HiddenPart, ReadOptions } from '../../contract/store/session-log.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { createTurnFitter } from '../../domain/context/create-turn-fitter.ts'
import { leadingSystem } from '../../domain/context/leading-system.ts'
import { modelMessage } from '../../domain/context/model-message.ts'
import { type TrimmedHistory, trimToBudget } from '../../domain/context/trim-to-budget.ts'
import { createBreather, inBreaths } from '../../pacing/breather.ts'
import { unlessAborted } from '../upkeep/unless-aborted.ts'
import type { TokenCounter } from './context-types.ts'
import { isSameBasis } from './fold-context.ts'

/** Entries per page. With a limit only few are needed. */
const pageSize = { limited: 128, unlimited: 512 }
/** Entries at the beginning that are searched for system messages. */
const frontSize = 16
/** How often reading restarts because the compaction changed meanwhile. */
const restarts = 4

/** The newest turns of a line that fit, and what replaces the hidden part. */
export interface NewestTurns extends TrimmedHistory<Message> {
  readonly hidden: HiddenPart
  readonly branch: string
  /** Whether it has only a part of the newest turn. */
  readonly isPart: boolean
}

export interface NewestTurnsOptions {
  readonly branch?: string | undefined
  readonly countTokens: TokenCounter
  readonly signal?: AbortSignal | undefined
  /** Whether there is a limit at all. */
  readonly isLimited: boolean
  /** How many tokens are left for messages, given what replaces the hidden part. */
  readonly room: (hidden: HiddenPart) => number
}

/**
 * Reads a line from its end, turn by turn, until one does not fit any more, and the system messages at its beginning;
 * so a long line never keeps the page busy. The newest turn is always included as far as it fits, and its start even if
 * that does not fit. Everything is based on one compaction: if that changes meanwhile, reading restarts.
 *
 * @throws Aborted
 */
export async function readNewestTurns(
  store: SessionStore,
  key: string,
  options: NewestTurnsOptions,
): Promise<NewestTurns> {
  for (let tries = 0; ; tries++) {
    const found = await readOnce(store, key, options, tries === restarts)
    if (found !== undefined) return found
  }
}

/** @returns `undefined` when the compaction changed meanwhile, unless this is the last attempt */
async function readOnce(
  store: SessionStore,
  key: string,
  { branch, countTokens, signal, isLimited, room }: NewestTurnsOptions,
  isLast: boolean,
): Promise<NewestTurns | undefined> {
  const read = (where: ReadOptions): Promise<EntryPage> =>
    unlessAborted(store.read(key, { ...where, view: 'context' }), signal, 'Reading the context')
  const line = branch === undefined ? {} : { branch }
  const limit = pageSize[isLimited ? 'limited' : 'unlimited']
  const newest = await read({ ...line, last: limit })
  const front = newest.more ? await read({ branch: newest.branch, after: '', limit: frontSize }) : newest
  const hidden = newest.hidden ?? { summary: '' }
  const isSame = (page: EntryPage): boolean => isLast || isSameBasis(hidden, page.hidden ?? { summary: '' })
  if (!isSame(front)) return undefined

  const carried = (hidden.messages ?? []).flatMap((message) => modelMessage({ type: 'message', message }) ?? [])
  const rest = carried.slice(leadingSystem(carried))
  const leading = rest.length > 0 ? [] : leadingEntries(front)
  const opening = trimToBudget(
    [...carried.slice(0, leadingSystem(carried)), ...leading.map(({ message }) => message!)],
    room(hidden),
    countTokens,
  )
  const fitter = createTurnFitter<Message>(opening.leftOut > 0 ? -1 : room(hidden) - opening.tokens, countTokens, {
    keepsNewest: true,
  })

  let added = rest.length
  let seen = leading.length
  let isFull = false
  for (let page = newest; ; ) {
    const entries = page.entries.filter(({ id }) => leading.every((entry) => entry.id !== id))
    const messages = entries.flatMap((entry) => modelMessage(entry) ?? [])
    added += messages.length
    seen += entries.filter(({ message }) => message !== undefined).length
    isFull = fitter.add(messages)
    const first = page.entries[0]
    if (isFull || !page.more || first === undefined) break
    page = await read({ branch: newest.branch, before: first.order, limit })
    if (!isSame(page)) return undefined
  }
  isFull ||= fitter.add(rest)

  const fitted = await inBreaths(fitter.end(), createBreather())
  const unread = isFull ? Math.max(0, (newest.total ?? seen) - seen) : 0
  return {
    messages: [...opening.messages, ...fitted.messages],
    tokens: opening.tokens + fitted.tokens,
    turns: fitted.turns,
    isPart: fitted.isPart,
    leftOut: opening.leftOut + added - fitted.used + unread,
    hidden,
    branch: newest.branch,
  }
}

/** The system messages that a line begins with. */
function leadingEntries({ entries }: EntryPage): readonly EntryView[] {
  const speaking = entries.filter((entry) => modelMessage(entry) !== undefined)
  return speaking.slice(0, leadingSystem(speaking.map((entry) => modelMessage(entry)!)))
}
