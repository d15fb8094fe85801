import type { SearchHit, SessionClient } from '../../src/index.ts'
import type { Conversation } from '../chat/conversation.ts'
import type { AddressedSession } from '../sessions/addressed-session.ts'
import type { Toasts } from '../ui/toasts.ts'

/** Goes to a message that was found, in whatever conversation and on whatever branch it is. */
export async function showHit(
  hit: SearchHit,
  client: SessionClient,
  addressed: AddressedSession,
  conversation: Conversation,
  toasts: Toasts,
): Promise<void> {
  // Where it cannot be opened, that was said already.
  if (!(await addressed.goTo(hit.key))) return
  try {
    const before = (await client.store.getMeta(hit.key))?.head
    await conversation.reveal(hit)
    if (before !== undefined && before !== hit.line)
      toasts.show({
        text: 'This message is on another branch. That branch is now shown.',
        action: {
          label: 'Go back',
          testId: 'undo',
          run: () =>
            void client.store
              .switchBranch(hit.key, before)
              .catch((error: unknown) => toasts.fail('The other branch could not be shown', error)),
        },
      })
  } catch (error) {
    toasts.fail('The message could not be shown', error)
  }
}
