import type { AttachmentAdapter, CompleteAttachment, PendingAttachment, ThreadMessage } from '@assistant-ui/core'
import { ExportedMessageRepository } from '@assistant-ui/core/internal'
import { afterEach, expect, it } from 'vitest'
import { createAttachmentAdapter } from '../../../src/adapters/assistant-ui/create-attachment-adapter.ts'
import { createHistoryAdapter } from '../../../src/adapters/assistant-ui/create-history-adapter.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import { createProfile } from '../../client/support/open-port-client.ts'

const clients: SessionClient[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

async function open() {
  const client = await createProfile().open({ name: 'files' })
  clients.push(client)
  const attachments = createAttachmentAdapter(client)
  const adapter: AttachmentAdapter = attachments
  const attach = async (file: File): Promise<CompleteAttachment> =>
    adapter.send((await adapter.add({ file })) as PendingAttachment)
  return { client, attachments, attach }
}

function messageWith(attachment: CompleteAttachment): ThreadMessage {
  const [item] = ExportedMessageRepository.fromArray([{ id: 'u1', role: 'user', content: 'look' }]).messages
  return { ...item!.message, attachments: [attachment] } as ThreadMessage
}
const imageOf = ({ attachments }: ThreadMessage) => (attachments![0]!.content[0] as { image: string }).image
const png = () => new File([Uint8Array.of(1, 2, 3)], 'a.png', { type: 'image/png' })

it('gives an image an object URL while it is shown, and stores it as a blob with the message', async () => {
  const { client, attachments, attach } = await open()
  const sent = messageWith({ ...(await attach(png())), file: png() })
  expect(imageOf(sent)).toMatch(/^blob:nodedata:/)
  const session = await client.session('thread')
  const history = createHistoryAdapter<ThreadMessage>(session)
  await history.append({ parentId: null, message: sent })
  const stored = JSON.stringify(await session.messages())
  expect(stored).toMatch(/"image":"blob:[0-9a-f]{64}"/)

  const next = createHistoryAdapter<ThreadMessage>(await client.session('thread'))
  const [loaded] = (await next.load()).messages
  const url = imageOf(loaded!.message)
  expect([url === imageOf(sent), await (await fetch(url)).arrayBuffer()]).toEqual([
    false,
    Uint8Array.of(1, 2, 3).buffer,
  ])
  // What was loaded is stored as it was.
  await next.append(structuredClone(loaded!))
  expect((await session.store.changes('thread', {})).entries).toHaveLength(1)

  const [forModel] = await attachments.forModel([loaded!.message])
  expect(imageOf(forModel!)).toBe(`data:image/png;base64,${btoa('\x01\x02\x03')}`)
  await next.close()
  attachments.close()
  for (const ended of [url, imageOf(sent)]) await expect(fetch(ended)).rejects.toThrow()
})

it('names other files by a URL, with their type', async () => {
  const { attachments, attach } = await open()
  const { type, content, contentType } = await attach(new File(['a'], 'a.pdf', { type: 'application/pdf' }))
  expect([type, contentType]).toEqual(['file', 'application/pdf'])
  expect(content).toEqual([
    {
      type: 'file',
      data: expect.stringMatching(/^blob:/),
      mimeType: 'application/pdf',
      sourceType: 'url',
      filename: 'a.pdf',
    },
  ])
  attachments.close()
})

it('stores the same file once, and none whose signal aborted', async () => {
  const { client, attachments, attach } = await open()
  const [one, other] = [await attach(png()), await attach(png())]
  expect(one.content).toEqual(other.content)
  expect(one.id).not.toBe(other.id)
  const pending = await attachments.add({ file: new File(['x'], 'x.txt', { type: 'text/plain' }) })
  await expect(attachments.send(pending, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'Aborted' })
  expect((await client.upkeep.usage()).blobBytes).toBe(3)
  attachments.close()
})
