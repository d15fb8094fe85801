import type { SessionClient, SessionListing } from '../../src/index.ts'
import type { Replies } from '../chat/replies.ts'
import { titleOf } from '../chat/top-bar.ts'
import { shortened } from '../ui/format.ts'
import type { Toasts } from '../ui/toasts.ts'

const undoMs = 10_000

export interface SessionRemovalOptions {
  readonly client: SessionClient
  readonly toasts: Toasts
  readonly replies: Replies
  readonly isOpen: (key: string) => boolean
  /** The session that is open was deleted. */
  readonly onGone: () => Promise<void>
  /** It was brought back. */
  readonly onBack: (key: string) => void
}

export interface SessionRemoval {
  remove(listing: SessionListing): Promise<void>
  restore(key: string): Promise<void>
}

/** Deletes sessions, and brings them back. */
export function createSessionRemoval(options: SessionRemovalOptions): SessionRemoval {
  const { client, toasts, replies, isOpen, onGone, onBack } = options

  async function remove(listing: SessionListing): Promise<void> {
    const { key } = listing
    try {
      replies.stop(key)
      await client.delete(key)
    } catch (error) {
      toasts.fail('The conversation could not be deleted', error)
      return
    }
    const wasOpen = isOpen(key)
    if (wasOpen) await onGone()
    toasts.show({
      text: `“${shortened(titleOf(listing), 40)}” was deleted`,
      action: { label: 'Undo', testId: 'undo', run: () => void restore(key).then(() => wasOpen && onBack(key)) },
      shownMs: undoMs,
    })
  }

  async function restore(key: string): Promise<void> {
    try {
      await client.undelete(key)
    } catch (error) {
      toasts.fail('The conversation could not be restored', error)
    }
  }

  return { remove, restore }
}
