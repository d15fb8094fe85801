import type { SessionClient } from '../../client/client-contract.ts'
import { drawId } from '../../client/session/draw-id.ts'
import { SessionError } from '../../contract/errors.ts'
import { createFileUrls } from '../file-urls.ts'
import type { BlobAttachments } from './assistant-types.ts'
import { withFileUrls } from './message-urls.ts'

export interface AttachmentOptions {
  /** Which files can be chosen, as in `<input accept>`. Default: all. */
  readonly accept?: string
}

/**
 * Stores the files that users attach as blobs, each once. Messages have object URLs of them, which last until `close`;
 * `createHistoryAdapter` stores such a message with the blob, and loads it with another URL.
 *
 * @example
 * const attachments = createAttachmentAdapter(client)
 * const runtime = useLocalRuntime(model, { adapters: { attachments, history } })
 * // In the model, which can't read the URLs of a page:
 * await fetch('/api/chat', { method: 'POST', body: JSON.stringify(await attachments.forModel(messages)) })
 */
export function createAttachmentAdapter(
  { store }: Pick<SessionClient<object>, 'store'>,
  { accept = '*' }: AttachmentOptions = {},
): BlobAttachments {
  const files = createFileUrls(store)
  return {
    accept,
    add: async ({ file }) => ({
      id: drawId(),
      type: file.type.startsWith('image/') ? 'image' : file.type.startsWith('text/') ? 'document' : 'file',
      name: file.name,
      contentType: file.type,
      file,
      status: { type: 'requires-action', reason: 'composer-send' },
    }),
    remove: async () => undefined,
    send: async ({ id, type, name, file }, { signal } = {}) => {
      if (signal?.aborted) throw new SessionError('Aborted', `The file "${name}" was not sent: its signal aborted.`)
      const url = await files.show(`blob:${await store.putBlob(file)}`)
      const part =
        type === 'image'
          ? { type, image: url, filename: name }
          : {
              type: 'file',
              data: url,
              mimeType: file.type || 'application/octet-stream',
              sourceType: 'url',
              filename: name,
            }
      return { id, type, name, contentType: file.type, status: { type: 'complete' }, content: [part] }
    },
    forModel: <M>(messages: readonly M[]) =>
      Promise.all(messages.map((message) => withFileUrls(message, (url) => files.send(url)))),
    close: () => files.revoke(),
  }
}
