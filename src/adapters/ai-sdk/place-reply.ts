import type { MessageStream } from '../../client/message-stream-types.ts'
import { drawId } from '../../client/session/draw-id.ts'
import type { Session } from '../../client/session-contract.ts'
import type { EntryView } from '../../contract/entry.ts'
import { chatMessages } from './chat-messages.ts'
import type { ChatState, EntryPlace } from './chat-state.ts'
import { toStored } from './stored-message.ts'
import type { ChatMessage } from './ui-message.ts'

/** What a request stores before it is sent, and where its reply goes. Each step can be repeated when it has failed. */
export interface ReplyPlace {
  /** The message that the reply continues. */
  readonly base: ChatMessage | undefined
  /** Whether the reply goes beside an earlier one, which stays shown until this one has something. */
  readonly isAnother: boolean
  /** Stores what the user did. */
  store(): Promise<void>
  /** Whether the reply hides nothing, so that it can begin before there is any of it. */
  isFirst(): Promise<boolean>
  /** Begins the reply. @param instead - the id that it was begun under */
  open(mid: string, instead?: string): Promise<MessageStream<object>>
  /** Stores the reply where it can't be stored as what was begun: another tab ended that, or wrote to it. */
  put(mid: string, message: object): Promise<unknown>
}

/** A request, as a transport gets it. */
export interface ChatRequest {
  readonly trigger: 'submit-message' | 'regenerate-message'
  readonly messageId: string | undefined
  readonly messages: readonly ChatMessage[]
}

/**
 * Decides what a request means. After a new message, or another version of one, comes a new reply; another reply goes
 * beside the one that is there; and the outputs of tools, or an approval, are followed by more of the same message.
 */
export function placeReply(session: Session<object>, state: ChatState, request: ChatRequest): ReplyPlace {
  const { trigger, messageId, messages } = request
  const operationId = drawId()
  const isAnother = trigger === 'regenerate-message'
  const target = messages.find(({ id }) => id === messageId) ?? messages.at(-1)
  const base = !isAnother && target?.role === 'assistant' ? target : undefined
  const asked = base ?? messages.at(-1)
  /** What the chat showed when the user did this. It may show something else by the time that the reply arrives. */
  const { places } = state
  let shownLine: string | undefined
  let original: EntryView<object> | undefined
  let question: EntryPlace | undefined

  const line = () => (shownLine === undefined ? {} : { branch: shownLine })
  const stored = chatMessages(session, state, line)
  /** The chat goes along to a new line, unless it went to another one in the meantime. */
  function goTo(branch: string): void {
    if (state.line === shownLine) state.line = branch
    shownLine = branch
  }

  return {
    base,
    isAnother,
    store: async () => {
      shownLine = await showLine(session, state)
      if (asked === undefined) return
      if (messageId !== undefined && !isAnother && base === undefined) original ??= await stored.find(messageId)
      if (original !== undefined) {
        const version = await toStored(asked, state.files)
        goTo((await session.editAndResend(original, version, { operationId })).branch)
        // The version that is shown from here on has the id as its own.
        if (state.places === places) state.places = new Map([...state.places].filter(([id]) => id !== asked.id))
        return
      }
      // What the user answered a tool with may not have been sent yet.
      const before = messages.at(-2)
      if (!isAnother && before?.parts.some((part) => 'toolCallId' in part)) await stored.putKnown(before)
      if (base === undefined) question = await stored.put(asked)
      else if (!(await stored.isStreamed(base.id))) await stored.put(base, true)
    },
    isFirst: async () => base === undefined && !(isAnother && (await isAnswered(session, line(), question, []))),
    open: async (mid, instead) => {
      if (base !== undefined) return session.stream({ resume: await stored.get(mid) })
      if (isAnother && (await isAnswered(session, line(), question, [mid, instead]))) {
        const after = question === undefined ? 'start' : { branch: question.branch, order: question.order }
        goTo((await session.store.openBranch(session.key, { after, operationId })).id)
      }
      return session.stream({ mid, ...line() })
    },
    put: stored.write,
  }
}

/** Whether a question has a reply other than its `own` on its line. One that is still streamed, in any tab, will be there. */
async function isAnswered(
  session: Session<object>,
  line: { readonly branch?: string },
  question: EntryPlace | undefined,
  own: readonly (string | undefined)[],
): Promise<boolean> {
  // Asked in this order, so that a draft which ends meanwhile is found as an entry.
  const drafts = await session.store.listDrafts(session.key)
  const { branch, entries } = await session.page({ ...line, after: question?.order ?? '', limit: 1 })
  if (entries.length > 0) return true
  return drafts.some(
    (draft) => draft.branch === branch && draft.resumes === undefined && !(draft.mid && own.includes(draft.mid)),
  )
}

/**
 * Makes the line that this chat shows the head, so that what is said here follows what was read here. Another tab may
 * have gone to another one.
 *
 * @returns the line
 */
async function showLine(session: Session<object>, state: ChatState): Promise<string> {
  const lines = await session.branches.list()
  const head = lines.find(({ isHead }) => isHead)?.id ?? ''
  const { line } = state
  if (line === undefined || !lines.some(({ id }) => id === line)) return (state.line = head)
  if (line !== head) await session.branches.switchTo(line)
  return line
}
