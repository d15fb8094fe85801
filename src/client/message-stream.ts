import type { DraftChunk } from '../contract/change.ts'
import type { EntryReceipt } from '../contract/entry.ts'
import { SessionError } from '../contract/errors.ts'
import type { Message } from '../contract/message.ts'
import type { DraftOptions, SessionStore } from '../contract/store.ts'
import type { MessageStream, StreamOptions } from './types.ts'

/** At most so often a growing reply is journalled. */
const journalMs = 150

/**
 * Starts a reply that is journalled while it grows.
 *
 * @param onEnd - called when it was stored or dropped
 */
export function createMessageStream(store: SessionStore, key: string, { role = 'assistant', branch, onDeleted }: StreamOptions & Pick<DraftOptions, 'onDeleted'>, onEnd: () => Promise<void>): MessageStream {
  let text = ''
  let reasoning = ''
  /** What the journal has of both. */
  let kept = { text: 0, reasoning: 0 }
  let count = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let ending: Promise<EntryReceipt | undefined> | undefined
  let isAborted = false

  const id = store.openDraft(key, { role, ...(branch === undefined ? {} : { branch }), ...(onDeleted === undefined ? {} : { onDeleted }) })
  /** The write of the journal that is under way. */
  let journal: Promise<unknown> = id
  // An error of the journal shows at the end, if it is still one then.
  journal.catch(() => undefined)

  async function writeDown(): Promise<void> {
    timer = undefined
    const chunk: DraftChunk = { text: text.slice(kept.text), ...(reasoning.length > kept.reasoning ? { reasoning: reasoning.slice(kept.reasoning) } : {}) }
    const reached = { text: text.length, reasoning: reasoning.length }
    try {
      await store.writeDraft(key, await id, count, chunk)
      kept = reached
      count++
    } catch {
      // The whole text goes with the end, and the next piece carries this one along.
    }
  }
  function add(piece: string, reason: string): void {
    // Who aborts a reply can't always stop its source in the same instant.
    if (isAborted) return
    if (ending !== undefined) throw new TypeError('The stream has ended; nothing more can be written to it.')
    text += piece
    reasoning += reason
    timer ??= setTimeout(() => (journal = journal.then(writeDown, writeDown)), journalMs)
  }

  /** Without a message the draft is dropped. */
  async function seal(message: Message | undefined): Promise<EntryReceipt | undefined> {
    clearTimeout(timer)
    timer = undefined
    try {
      await journal.catch(() => undefined)
      const draft = await id
      const receipt = message === undefined ? undefined : await store.sealDraft(key, draft, message)
      if (message === undefined) await store.dropDraft(key, draft)
      await onEnd()
      return receipt
    } catch (error) {
      // The reply is still here, and can be ended again when there is room for it.
      ending = undefined
      throw error
    }
  }
  const soFar = (): Message => ({ role, content: text, ...(reasoning === '' ? {} : { reasoning_content: reasoning }) })

  return {
    id,
    get text() {
      return text
    },
    write: (piece) => add(piece, ''),
    writeReasoning: (piece) => add('', piece),
    end: async (message) => {
      const receipt = await (ending ??= seal(message ?? soFar()))
      if (receipt === undefined) throw new SessionError('Aborted', 'The stream was dropped before it ended.')
      return receipt
    },
    abort: ({ keep = true } = {}) => {
      isAborted = true
      return (ending ??= seal(keep && text + reasoning !== '' ? { ...soFar(), interrupted: true } : undefined))
    },
  }
}
