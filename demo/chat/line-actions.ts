import type { EntryView, Session, Transcript } from '../../src/index.ts'
import type { Toasts } from '../ui/toasts.ts'
import type { EntryActions } from './entry-view.ts'
import { type Fork, newestLine } from './forks.ts'
import { reworded } from './message-content.ts'
import type { Replies } from './replies.ts'

export interface LineActions extends EntryActions {
  /** Shows another line from a fork on. */
  switchAt(fork: Fork, branch: string): void
}

/**
 * What changes the line of a conversation: another reply, another question, another version. Each opens a branch, so
 * nothing is lost.
 */
export function createLineActions(
  session: Session,
  transcript: Transcript,
  replies: Replies,
  toasts: Toasts,
  blobs: EntryActions['blobs'],
): LineActions {
  /** The line last shown, by fork and choice: going back leads there again, not to where that choice began. */
  const lastShown = new Map<string, string>()

  async function regenerate(entry: EntryView): Promise<void> {
    if (isBusy()) return
    await session.regenerate(entry)
    replies.start(session.key)
  }

  async function resend(entry: EntryView, text: string): Promise<void> {
    if (isBusy()) return
    await session.editAndResend(entry, reworded(entry.message, text))
    replies.start(session.key)
  }

  function resume(entry: EntryView): void {
    if (!isBusy()) replies.resume(session.key, entry)
  }

  async function switchAt(fork: Fork, branch: string): Promise<void> {
    const meta = transcript.getSnapshot()?.meta
    if (meta === undefined) return
    lastShown.set(`${fork.id} ${fork.choices[fork.shown]}`, meta.head)
    const again = meta.branches.find(({ id }) => id === lastShown.get(`${fork.id} ${branch}`))
    await session.branches.switchTo(again?.id ?? newestLine(meta.branches, fork, branch))
  }

  function isBusy(): boolean {
    const busy = replies.running(session.key) !== undefined
    if (busy) toasts.show({ text: 'A reply is being written. Wait for it, or stop it first.' })
    return busy
  }

  return {
    blobs,
    regenerate: (entry) =>
      void regenerate(entry).catch((error: unknown) => toasts.fail('The reply could not be regenerated', error)),
    resend: (entry, text) =>
      void resend(entry, text).catch((error: unknown) => toasts.fail('The message could not be sent', error)),
    resume,
    switchAt: (fork, branch) =>
      void switchAt(fork, branch).catch((error: unknown) => toasts.fail('The other version could not be shown', error)),
  }
}
