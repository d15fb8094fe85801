import type { Session, SessionClient } from '../../src/index.ts'
import { storeFiles } from '../attachments/attached-file.ts'
import { hoursAhead } from '../clock/wrong-clock.ts'
import { device } from '../device.ts'
import { keepModel, modelOf } from '../model-choice.ts'
import { readSettings } from '../settings.ts'
import { userMessage } from './message-content.ts'
import type { Replies } from './replies.ts'

export interface Outgoing {
  readonly text: string
  readonly files: readonly File[]
  /** Whether the store is encrypted. */
  readonly isEncrypted: boolean
}

/**
 * Stores a message of the user, and has it answered.
 *
 * @param onStored - told when it is stored, before the reply begins
 */
export async function sendMessage(
  client: SessionClient,
  session: Session,
  replies: Replies,
  { text, files, isEncrypted }: Outgoing,
  onStored: () => void,
): Promise<void> {
  const { key } = session
  keepModel(key, modelOf(key))
  // The Service Worker has the first device's conversations, no passphrase, and the right time; its API takes text.
  const viaApi = readSettings().viaApi && files.length === 0 && device === 1 && !isEncrypted && hoursAhead === 0
  if (viaApi) {
    await replies.sendByApi(key, text)
    onStored()
  } else {
    await session.append(userMessage(text, await storeFiles(client.blobs, files)))
    onStored()
    replies.start(key)
  }
}
