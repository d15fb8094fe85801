import type { VersionVector } from '../contract/entry.ts'
import type { BlobExchange } from './blob-exchange.ts'
import { openExchange } from './open-exchange.ts'
import { openSessionLink } from './session-link.ts'
import type { SessionLinkOptions } from './session-link-options.ts'

/**
 * Sends a whole session to a document, with its attachments.
 *
 * @returns what the other side has of it then
 */
export async function uploadSession(
  session: Pick<SessionLinkOptions, 'store' | 'key' | 'name' | 'elements' | 'erased' | 'transport' | 'term'>,
  blobs: BlobExchange,
  signal: AbortSignal,
): Promise<VersionVector> {
  const unsent = blobs.unsent()
  const vector = await openExchange<VersionVector>(signal, (resolve, reject) =>
    openSessionLink({
      ...session,
      blobs,
      onSent: () => undefined,
      onReport: ({ sealed }) => sealed > 0 && reject(new Error('its new document has entries of yet another key')),
      onSynced: resolve,
      onTrouble: (trouble) =>
        reject(new Error('message' in trouble ? trouble.message : `the connection is ${trouble.state}`)),
    }),
  )
  await untilSettled(blobs, signal)
  if (session.transport.blobs !== undefined && blobs.unsent() > unsent)
    throw new Error('not all of its attachments could be sent')
  return vector
}

/** Waits until no attachment is under way: one that never arrives must not keep it from being stopped. @throws Aborted */
export function untilSettled(blobs: Pick<BlobExchange, 'settled'>, signal: AbortSignal): Promise<void> {
  return openExchange<void>(signal, async (resolve, reject) => {
    blobs.settled().then(resolve, reject)
    return { close: async () => undefined }
  })
}
