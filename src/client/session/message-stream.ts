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
import { drawId } from './draw-id.ts'

/**
 * Starts a reply that is journalled while it grows, or goes on with one.
 *
 * @param onEnd - called when it was stored or dropped
 * @throws TypeError when what is to be resumed is no message that was read
 */
export function createMessageStream(
  store: SessionStore,
  key: string,
  options: StreamOptions &
    Pick<DraftOptions, 'onDeleted'> & { readonly check?: ((message: Message) => Promise<void>) | undefined },
  onEnd: () => Promise<void>,
): MessageStream {
  const { branch, onDeleted, resume, check } = options
  const base = resume?.message as Message | undefined
  if (resume !== undefined && typeof base?.role !== 'string')
    throw new TypeError('Only an entry with a message can be resumed. Pass one of session.interrupted().')
  const role = base?.role ?? options.role ?? 'assistant'
  const parts: DraftPart[] = base === undefined ? [] : [...messageParts(base)]
  let text = textOfParts(parts, 'text')
  let ending: Promise<EntryReceipt | undefined> | undefined
  let isAborted = false
  const startedAt = Date.now()
  /** Nobody knows whether it was sealed. */
  let maybeSealed = false

  // Drawn here, so that opening can be repeated when nobody knows whether it was done. Drafts are listed in the order
  // of their ids.
  const draft = `${startedAt.toString(36).padStart(9, '0')}-${drawId()}`
  const openDraft = (): Promise<string> =>
    store.openDraft(key, {
      id: draft,
      role,
      ...(branch === undefined ? {} : { branch }),
      ...(onDeleted === undefined ? {} : { onDeleted }),
      ...(resume === undefined ? {} : { resume: { branch: resume.branch, order: resume.order, edit: resume.edit } }),
    })
  const id = openDraft()
  let opening: Promise<string> | undefined = id
  /** Opens it once more where it could not be: there may be room by now. */
  async function opened(): Promise<void> {
    const attempt = (opening ??= openDraft())
    try {
      await attempt
    } catch (error) {
      if (opening === attempt) opening = undefined
      throw error
    }
  }
  const journal = createDraftJournal(
    async (n, chunk) => {
      await opened()
      await store.writeDraft(key, draft, n, chunk)
    },
    base === undefined ? 0 : 1,
  )
  // An error of the journal shows at the end, if it is still one then.
  id.catch(() => undefined)

  function add(piece: DraftPart): void {
    // Who aborts a reply can't always stop its source in the same instant.
    if (isAborted) return
    if (ending !== undefined) throw new TypeError('The stream has ended; nothing more can be written to it.')
    joinParts(parts, [piece])
    if (piece.type === 'text') text += piece.text
    journal.add(piece)
  }
  function addText(type: 'text' | 'reasoning', piece: string): void {
    if (typeof (piece as unknown) !== 'string')
      throw new TypeError(`A piece of a reply must be a text, got ${typeof piece}.`)
    if (piece !== '') add({ type, text: piece })
  }

  async function sealDraft(message: Message): Promise<EntryReceipt> {
    try {
      return await store.sealDraft(key, draft, message)
    } catch (error) {
      maybeSealed ||= isSessionError(error, 'WorkerLost')
      if (maybeSealed || !isSessionError(error, 'InvalidInput') || !(await isForgotten())) throw error
      await openDraft()
      return store.sealDraft(key, draft, message)
    }
  }

  /**
   * Whether nothing is known of the draft although its session is there: a database that was lost and filled again from
   * the mirror has no drafts.
   */
  async function isForgotten(): Promise<boolean> {
    const [drafts, meta] = await Promise.all([store.listDrafts(key), store.getMeta(key)])
    // One that was deleted and begun afresh meanwhile is another one to whoever reads it.
    return meta !== undefined && meta.createdAt <= startedAt && !drafts.some(({ id }) => id === draft)
  }

  async function drop(): Promise<void> {
    try {
      await (opening ?? id)
    } catch {
      // Nothing was ever written to it. Should it be there all the same, it holds nothing, and goes with this page at
      // the latest.
      return store.dropDraft(key, draft).catch(() => undefined)
    }
    return store.dropDraft(key, draft)
  }

  /**
   * Without a message the draft is dropped.
   *
   * @param isChecked - false for a reply that is cut off: what there is of it is kept, whatever a schema says
   */
  async function seal(message: Message | undefined, isChecked: boolean): Promise<EntryReceipt | undefined> {
    try {
      if (isChecked && message !== undefined) await check?.(message)
      await journal.stop()
      if (message === undefined) await drop()
      else await opened()
      const receipt = message && (await sealDraft(message))
      await onEnd()
      return receipt
    } catch (error) {
      // The reply is still here, and can be ended again when there is room for it. A store that is closed stays so.
      ending = undefined
      if (!isSessionError(error, 'StorageClosed')) journal.start()
      throw error
    }
  }

  return {
    id,
    get text() {
      return text
    },
    get parts() {
      return [...parts]
    },
    write: (piece) => addText('text', piece),
    writeReasoning: (piece) => addText('reasoning', piece),
    writeToolInput: ({ id: call, name, input = '' }) => {
      if (typeof (call as unknown) !== 'string' || call === '' || typeof (input as unknown) !== 'string')
        throw new TypeError('The input of a tool needs the id of its call, and comes as pieces of JSON text.')
      add({ type: 'toolInput', id: call, ...(name === undefined ? {} : { name: String(name) }), input })
    },
    writePart: (part) => {
      if (typeof (part as { type?: unknown } | null)?.type !== 'string')
        throw new TypeError('A structured part must be an object with a type.')
      add({ type: 'part', part: normaliseJson(part, { path: 'part' }).value as typeof part })
    },
    end: async (message) => {
      const receipt = await (ending ??= seal(message ?? replyMessage(role, parts, false, base), true))
      if (receipt === undefined) throw new SessionError('Aborted', 'The stream was dropped before it ended.')
      return receipt
    },
    abort: ({ keep = true } = {}) => {
      isAborted = true
      return (ending ??= seal(keep && parts.length > 0 ? replyMessage(role, parts, true, base) : undefined, false))
    },
  }
}
