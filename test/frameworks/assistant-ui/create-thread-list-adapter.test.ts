import type { RemoteThreadListAdapter, ThreadMessage } from '@assistant-ui/core'
import { createAssistantStream } from 'assistant-stream'
import { afterEach, expect, it } from 'vitest'
import {
  createThreadListAdapter,
  type ThreadListOptions,
} from '../../../src/adapters/assistant-ui/create-thread-list-adapter.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import { createProfile } from '../../client/support/open-port-client.ts'

const clients: SessionClient[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

async function open(options?: ThreadListOptions<ThreadMessage>) {
  const client = await createProfile().open({ name: 'threads' })
  clients.push(client)
  const threads: RemoteThreadListAdapter = createThreadListAdapter(client, options)
  const say = async (key: string, content: string) => (await client.session(key)).append({ role: 'user', content })
  return { client, threads, say }
}

async function chunksOf(stream: ReadableStream<unknown>): Promise<unknown[]> {
  const chunks: unknown[] = []
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read()
    if (done) return chunks
    chunks.push(value)
  }
}

it('lists all threads, page by page, the newest first', async () => {
  const { client, threads } = await open()
  const said = Date.now()
  for (let n = 0; n < 120; n++) {
    const message = { role: 'user', content: `thread ${n}` }
    // Threads of the same millisecond would be listed by their ids.
    await client.store.append(`t${n}`, [{ type: 'message', message, at: said + n }])
  }
  const all: string[] = []
  let after: string | undefined
  let pages = 0
  do {
    const page = await threads.list({ after })
    for (const { remoteId } of page.threads) all.push(remoteId)
    after = page.nextCursor
    pages++
  } while (after !== undefined)
  expect(pages).toBe(3)
  expect(all).toEqual(Array.from({ length: 120 }, (_, n) => `t${119 - n}`))
})

it('initialises a thread under its id, once, with its custom data', async () => {
  const { client, threads, say } = await open()
  const custom = { folder: 'a', since: new Date(3) }
  expect(await threads.initialize('t', { custom })).toEqual({ remoteId: 't', externalId: undefined })
  await say('t', 'Hello')
  await threads.initialize('t')
  expect((await client.listSessions()).sessions).toHaveLength(1)
  const { updatedAt } = (await (await client.session('t')).meta())!
  const thread = { remoteId: 't', status: 'regular', title: 'Hello', lastMessageAt: new Date(updatedAt), custom }
  expect(await threads.fetch('t')).toEqual(thread)
  expect((await threads.list()).threads).toEqual([thread])
  await threads.updateCustom!('t', undefined)
  expect(await threads.fetch('t')).not.toHaveProperty('custom')
})

it('renames, archives and unarchives', async () => {
  const { threads, say } = await open()
  await say('t', 'Hello')
  await threads.rename('t', 'A name')
  await threads.archive('t')
  expect(await threads.fetch('t')).toMatchObject({ title: 'A name', status: 'archived' })
  await threads.unarchive!('t')
  expect((await threads.list()).threads).toMatchObject([{ title: 'A name', status: 'regular' }])
})

it('deletes a thread once or twice, and nothing brings it back', async () => {
  const { client, threads, say } = await open()
  await say('t', 'Hello')
  await threads.delete('t')
  await threads.delete('t')
  await threads.delete('never')
  for (const change of [
    () => threads.rename('t', 'x'),
    () => threads.archive('t'),
    () => threads.unarchive!('t'),
    () => threads.updateCustom!('t', {}),
    () => threads.initialize('t'),
    () => threads.generateTitle('t', []),
    () => threads.fetch('t'),
    () => threads.rename('never', 'x'),
  ])
    await expect(change()).rejects.toMatchObject({ name: 'SessionNotFound' })
  expect((await threads.list()).threads).toEqual([])
  await client.undelete('t')
  expect((await threads.list()).threads).toMatchObject([{ remoteId: 't' }])
})

it("streams a title as the library's own streams do, and keeps one that a person chose", async () => {
  const { threads, say } = await open({ makeTitle: (messages) => `About ${messages.length} messages` })
  await say('t', 'Hello')
  const theirs = createAssistantStream((controller) => controller.appendText('About 0 messages'))
  expect(await chunksOf(await threads.generateTitle('t', []))).toEqual(await chunksOf(theirs))
  expect(await threads.fetch('t')).toMatchObject({ title: 'About 0 messages' })
  await threads.rename('t', 'Mine')
  await threads.generateTitle('t', [])
  expect(await threads.fetch('t')).toMatchObject({ title: 'Mine' })
})

it('has the beginning of the conversation as the title, unless the app makes another', async () => {
  const { threads, say } = await open()
  await say('t', 'Hello')
  expect(await chunksOf(await threads.generateTitle('t', []))).toContainEqual({
    type: 'text-delta',
    path: [0],
    textDelta: 'Hello',
  })
})

it('lists and creates only the threads of its user', async () => {
  const { client, threads } = await open({ query: { userId: 'me' } })
  await client.session({ key: 'other', userId: 'you' })
  await threads.initialize('mine')
  expect((await threads.list()).threads.map(({ remoteId }) => remoteId)).toEqual(['mine'])
})
