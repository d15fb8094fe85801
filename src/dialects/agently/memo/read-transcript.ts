import { unlessAborted } from '../../../client/upkeep/unless-aborted.ts'
import type { EntryView } from '../../../contract/entry.ts'
import type { Message } from '../../../contract/message.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { pushAll } from '../../../domain/push-all.ts'

const pageSize = 1024

export interface TranscriptOptions {
  /** The line. Default: the head. */
  readonly branch?: string
  /** The order after which to begin. Default: the beginning. */
  readonly after?: string
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads a line's full view from a position to its end, page by page, so that a long session never blocks its page.
 *
 * @throws Aborted
 */
export async function readTranscript(
  store: SessionStore,
  key: string,
  { branch, after = '', signal }: TranscriptOptions = {},
): Promise<{ readonly entries: readonly EntryView[]; readonly branch: string }> {
  const entries: EntryView[] = []
  for (let line = branch, from = after; ; ) {
    const page = await unlessAborted(
      store.read(key, { after: from, limit: pageSize, ...(line === undefined ? {} : { branch: line }) }),
      signal,
      'Reading',
    )
    pushAll(entries, page.entries)
    const last = page.entries.at(-1)
    if (!page.more || last === undefined) return { entries, branch: page.branch }
    from = last.order
    line = page.branch
  }
}

/** The messages among entries. */
export function messagesOf(entries: readonly EntryView[]): readonly Message[] {
  const messages: Message[] = []
  for (const { message } of entries) if (message !== undefined) messages.push(message)
  return messages
}
