import type { EntryInput, MessageInput } from '../../contract/entry.ts'
import type { Message } from '../../contract/message.ts'
import type { EntryContent } from '../../contract/store/atomic-changes.ts'
import type { AppendOptions, AppendResult } from '../../contract/store/session-log.ts'
import type { DeletedOptions } from '../../contract/store/write-options.ts'
import type { SessionParts } from './session-parts.ts'

/** Appends to the session of a handle. */
export interface HandleWriter {
  /** Appends what the app writes, checked by its schema. */
  append(entries: readonly EntryInput[], options?: AppendOptions): Promise<AppendResult>
  /** Appends copies of stored entries. They may be older than the schema of the app, so that they are not checked. */
  appendStored(entries: readonly EntryInput[], options?: AppendOptions): Promise<AppendResult>
  /** Checks a message by the schema of the app; other content has none. @throws InvalidInput */
  check(content: EntryContent): Promise<void>
  /** Checks the messages among entries. @throws InvalidInput */
  checkEntries(entries: readonly EntryInput[]): Promise<void>
  /** What a write does to a session that was deleted. */
  onDeleted(): NonNullable<DeletedOptions['onDeleted']>
  /** To be called after each other write. */
  written(): Promise<void>
}

const isMessage = (content: EntryContent): content is Message => 'role' in content || !('data' in content)
const isMessageInput = (entry: EntryInput): entry is MessageInput => entry.type === 'message' && 'message' in entry

export function createHandleWriter({
  store,
  key,
  check,
  isKnown: wasKnown,
  onRestart,
}: Pick<SessionParts, 'store' | 'key' | 'check' | 'isKnown' | 'onRestart'>): HandleWriter {
  let isKnown = wasKnown
  let restart = onRestart

  async function written(): Promise<void> {
    isKnown = true
    const act = restart
    restart = undefined
    // The write itself is stored, even when this fails; the next write and the next opening try it again.
    await act?.().catch(() => (restart = act))
  }
  const onDeleted = () => (isKnown ? 'refuse' : 'restart')
  async function appendStored(entries: readonly EntryInput[], options: AppendOptions = {}): Promise<AppendResult> {
    const result = await store.append(key, entries, { onDeleted: onDeleted(), ...options })
    await written()
    return result
  }
  async function checkEntries(entries: readonly EntryInput[]): Promise<void> {
    if (check !== undefined) for (const entry of entries) if (isMessageInput(entry)) await check(entry.message)
  }
  return {
    append: async (entries, options) => {
      await checkEntries(entries)
      return appendStored(entries, options)
    },
    appendStored,
    check: async (content) => {
      if (isMessage(content)) await check?.(content)
    },
    checkEntries,
    onDeleted,
    written,
  }
}
