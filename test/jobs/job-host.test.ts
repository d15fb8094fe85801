import { expect, it } from 'vitest'
import type { JobReply, JobRequest, JobTask } from '../../src/contract/job.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { serveJobs } from '../../worker/job-host.ts'
import { bytesOf, header, linear } from '../formats/support/pi-file.ts'

/** A host over a store in memory, as its page sees it. */
async function open(protocol = 1) {
  const { port1, port2 } = new MessageChannel()
  const replies: JobReply[] = []
  const waiting: { readonly isIt: (reply: JobReply) => boolean; readonly resolve: () => void }[] = []
  port1.addEventListener('message', ({ data }: MessageEvent<JobReply>) => {
    replies.push(data)
    for (const { isIt, resolve } of waiting) if (isIt(data)) resolve()
  })
  port1.start()
  const store = createSessionStore(createMemoryBackend(), {})
  await serveJobs(port2, { keepsession: 'open-jobs', protocol, name: 'host', blockedAfterMs: 100 }, async () => ({
    store,
  }))
  return {
    replies,
    store,
    say: (request: JobRequest) => port1.postMessage(request),
    until: (isIt: (reply: JobReply) => boolean) =>
      new Promise<void>((resolve) => (replies.some(isIt) ? resolve() : waiting.push({ isIt, resolve }))),
    close: () => port1.close(),
  }
}

/** Imports one log of pi. */
const importPiTask = (blob: Blob): JobTask => ({
  kind: 'importFiles',
  files: [{ path: 'log.jsonl', blob }],
  dryRun: false,
  format: 'pi',
})
const importOf = (id: number, source: string, count: number): JobRequest => ({
  keepsession: 'start',
  id,
  task: importPiTask(new Blob([bytesOf([header({ id: source }), ...linear(count)])])),
})
const endOf =
  (id: number) =>
  (reply: JobReply): boolean =>
    (reply.keepsession === 'done' || reply.keepsession === 'error') && reply.id === id

it('says that it is ready before anything else', async () => {
  const { replies, until, close } = await open()
  await until(({ keepsession }) => keepsession === 'ready')
  expect(replies).toEqual([expect.objectContaining({ keepsession: 'ready', protocol: 1 })])
  close()
})

it('refuses pages of another release', async () => {
  const { replies, until, close } = await open(2)
  await until(({ keepsession }) => keepsession === 'failed')
  expect(replies).toMatchObject([{ keepsession: 'failed', name: 'StorageUnavailable' }])
  close()
})

it('shows that it lives while it works', async () => {
  const { say, until, close } = await open()
  say(importOf(1, 'a', 2000))
  say({ keepsession: 'ping' })
  await until(({ keepsession }) => keepsession === 'pong')
  close()
})

it('does jobs one after the other, and each to its end', async () => {
  const { say, until, replies, store, close } = await open()
  say(importOf(1, 'a', 100))
  say(importOf(2, 'b', 10))
  say({ keepsession: 'start', id: 3, task: importPiTask(new Blob(['?'])) })
  say(importOf(4, 'd', 1))
  await until(endOf(4))
  expect(replies.filter(({ keepsession }) => keepsession === 'done' || keepsession === 'error')).toMatchObject([
    { keepsession: 'done', id: 1, result: { added: 100 } },
    { keepsession: 'done', id: 2, result: { added: 10 } },
    { keepsession: 'error', id: 3, error: { name: 'InvalidInput' } },
    { keepsession: 'done', id: 4, result: { added: 1 } },
  ])
  expect((await store.listSessions()).total).toBe(3)
  close()
})

it('cancels a job that waits, and no other', async () => {
  const { say, until, replies, store, close } = await open()
  say(importOf(1, 'a', 500))
  say(importOf(2, 'b', 500))
  say({ keepsession: 'cancel', id: 2 })
  say({ keepsession: 'cancel', id: 77 })
  await until(endOf(2))
  expect(replies.find(endOf(1))).toMatchObject({ keepsession: 'done' })
  expect(replies.find(endOf(2))).toMatchObject({ keepsession: 'error', error: { name: 'Aborted' } })
  expect((await store.listSessions()).total).toBe(1)
  close()
})

it('passes over messages that are none of its business', async () => {
  const { say, until, close } = await open()
  for (const message of [null, 1, 'start', {}, { keepsession: 'dance' }]) say(message as unknown as JobRequest)
  say({ keepsession: 'ping' })
  await until(({ keepsession }) => keepsession === 'pong')
  close()
})
