import type { DraftPart } from '../../contract/change.ts'
import type { EntryReceipt } from '../../contract/entry.ts'
import { isSessionError, SessionError } from '../../contract/errors.ts'
import type { Message } from '../../contract/message.ts'
import type { DraftOptions } from '../../contract/store/session-drafts.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { joinParts, textOfParts } from '../../domain/join-parts.ts'
import { normaliseJson } from '../../domain/normalise.ts'
import { messageParts, replyMessage } from '../../domain/reply-message.ts'
import type { MessageStream, StreamOptions } from '../message-stream-types.ts'
import { createDraftJournal } from './draft-journal.ts'
import { createStreamDraft } from './stream-draft.ts'

/** Options of a stream, with what the session adds. */
interface MessageStreamOptions extends StreamOptions, Pick<DraftOptions, 'onDeleted'> {
  readonly check?: ((message: Message) => Promise<void>) | undefined
  /** Called with everything so far when the reply grows; the list goes on growing. */
  readonly onGrow?: (draft: string, parts: readonly DraftPart[]) => void
}

/**
 * Starts a reply that is journalled while it grows, or resumes one.
 *
 * @param onEnd - called when the reply was stored or dropped
 * @throws TypeError when the entry to be resumed has no message, or the operation id is no text
 */
export function createMessageStream(
  store: SessionStore,
  key: string,
  options: MessageStreamOptions,
  onEnd: () => Promise<void>,
): MessageStream {
  const { check, operationId, onGrow } = options
  if (operationId !== undefined && (typeof operationId !== 'string' || operationId === ''))
    throw new TypeError(`operationId must be a non-empty string, got ${typeof operationId}.`)
  const base = resumedMessage(options)
  const role = base?.role ?? options.role ?? 'assistant'
  const parts: DraftPart[] = base === undefined ? [] : [...messageParts(base)]
  let text = textOfParts(parts, 'text')
  let ending: Promise<EntryReceipt | undefined> | undefined
  let isAborted = false

  const draft = createStreamDraft(store, key, draftOptions(options, role))
  const journal = createDraftJournal(draft.write, base === undefined && options.mid === undefined ? 0 : 1)
  // The end reports an error of the draft, if it is still an error then.
  draft.id.catch(() => undefined)

  function add(piece: DraftPart): void {
    // The source of an aborted reply can't always be stopped in the same instant.
    if (isAborted) return
    if (ending !== undefined) throw new TypeError('The stream has ended; nothing more can be written to it.')
    joinParts(parts, [piece])
    if (piece.type === 'text') text += piece.text
    journal.add(piece)
    onGrow?.(draft.key, parts)
  }
  function addText(type: 'text' | 'reasoning', piece: string): void {
    if (typeof (piece as unknown) !== 'string')
      throw new TypeError(`A piece of a reply must be a string, got ${typeof piece}.`)
    if (piece !== '') add({ type, text: piece })
  }

  /**
   * Without a message the draft is dropped.
   *
   * @param isWhole - false for an interrupted reply: its pieces are kept even if they do not match the schema
   */
  async function seal(message: Message | undefined, isWhole: boolean): Promise<EntryReceipt | undefined> {
    try {
      if (isWhole && message !== undefined) await check?.(message)
      await journal.stop()
      // What was cut off is not what the operation stands for: another stream may still end it.
      const operation = isWhole ? operationId : undefined
      const receipt =
        message === undefined
          ? void (await draft.drop())
          : await draft.seal(message, operation).catch(isWhole ? undefined : unlessGone)
      await onEnd()
      return receipt
    } catch (error) {
      // The reply is still in memory, and can be ended again when there is space for it. A closed store stays closed.
      ending = undefined
      if (!isSessionError(error, 'StorageClosed')) journal.start()
      throw error
    }
  }

  return {
    id: draft.id,
    get text() {
      return text
    },
    get parts() {
      return [...parts]
    },
    write: (piece) => addText('text', piece),
    writeReasoning: (piece) => addText('reasoning', piece),
    writeToolInput: (piece) => add(toolInputPiece(piece)),
    writePart: (part) => add(structuredPiece(part)),
    end: async (message) => {
      const receipt = await (ending ??= seal(message ?? replyMessage(role, parts, 'complete', base), true))
      if (receipt === undefined) throw new SessionError('Aborted', 'The stream was dropped before it ended.')
      return receipt
    },
    abort: ({ keep = true, stopped = true } = {}) => {
      isAborted = true
      const cut = stopped ? 'stopped' : 'interrupted'
      return (ending ??= seal(keep && parts.length > 0 ? replyMessage(role, parts, cut, base) : undefined, false))
    },
  }
}

function resumedMessage({ resume }: StreamOptions): Message | undefined {
  const base = resume?.message as Message | undefined
  if (resume !== undefined && typeof base?.role !== 'string')
    throw new TypeError('Only an entry with a message can be resumed. Pass one of session.interrupted().')
  return base
}

function draftOptions(
  { mid, branch, onDeleted, resume }: MessageStreamOptions,
  role: string,
): Omit<DraftOptions, 'id'> {
  return {
    role,
    ...(mid === undefined ? {} : { mid }),
    ...(branch === undefined ? {} : { branch }),
    ...(onDeleted === undefined ? {} : { onDeleted }),
    ...(resume === undefined ? {} : { resume: { branch: resume.branch, order: resume.order, edit: resume.edit } }),
  }
}

function toolInputPiece({ id, name, input = '' }: Parameters<MessageStream['writeToolInput']>[0]): DraftPart {
  if (typeof (id as unknown) !== 'string' || id === '' || typeof (input as unknown) !== 'string')
    throw new TypeError('The input of a tool needs the id of its call, and comes as pieces of JSON text.')
  return { type: 'toolInput', id, ...(name === undefined ? {} : { name: String(name) }), input }
}

function structuredPiece(part: Parameters<MessageStream['writePart']>[0]): DraftPart {
  if (typeof (part as { type?: unknown } | null)?.type !== 'string')
    throw new TypeError('A structured part must be an object with a type.')
  return { type: 'part', part: normaliseJson(part, { path: 'part' }).value as typeof part }
}

/** A reply that is cut off goes with its session, if that was deleted while the reply grew. */
function unlessGone(error: unknown): undefined {
  if (!isSessionError(error, 'SessionNotFound')) throw error
}
