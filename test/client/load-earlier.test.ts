import { expect, it } from 'vitest'
import { createChangeFeed } from '../../src/client/session/change-feed.ts'
import { createTranscript } from '../../src/client/session/transcript.ts'
import type { StoreChange } from '../../src/contract/change.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'

/** The newest three of twenty messages. @param wrap - what the transcript reads from instead */
async function openTranscript(wrap: (store: SessionStore) => SessionStore = (store) => store) {
  const feed = createChangeFeed<StoreChange>()
  const store = createSessionStore(createMemoryBackend(), { onChange: feed.emit })
  for (let n = 0; n < 20; n++) await store.addMessage('k', 'user', `${n}`)
  const source = { ...feed, ending: new AbortController().signal }
  const transcript = createTranscript({ store: wrap(store), feed: source, key: 'k', last: 3 }, () => undefined)
  await transcript.ready()
  const texts = () => transcript.getSnapshot()?.entries.map(({ message }) => message?.content)
  return { store, transcript, texts }
}

async function editLast(store: SessionStore, content: string): Promise<void> {
  const { entries } = await store.read('k', { last: 1 })
  await store.edit('k', entries[0]!, { role: 'user', content })
}

it.each<[string, unknown]>([
  ['an event', {}],
  ['1.5', 1.5],
  ['0', 0],
  ['-1', -1],
  ['a text', '2'],
])('refuses %s as the number of earlier entries, and goes on showing what comes', async (_, count) => {
  const { store, transcript, texts } = await openTranscript()
  await expect(transcript.loadEarlier(count as number)).rejects.toMatchObject({
    name: 'InvalidInput',
    message: expect.stringContaining(`got ${String(count)}`),
  })
  await editLast(store, '19!')
  await expect.poll(texts).toEqual(['17', '18', '19!'])
  await store.addMessage('k', 'user', '20')
  await expect.poll(texts).toEqual(['17', '18', '19!', '20'])
  expect(transcript.getError()).toBe(undefined)
  await transcript.loadEarlier(10)
  expect(texts()).toHaveLength(14)
})

it('shows the earlier entries when it resolves, though a reading began before they were there', async () => {
  let edit: (() => Promise<void>) | undefined
  let held: Promise<void> | undefined
  const { store, transcript, texts } = await openTranscript((inner) => ({
    ...inner,
    read: async (key, options) => {
      const page = await inner.read(key, options)
      if (options?.before !== undefined) await edit?.()
      else await held
      return page
    },
  }))
  edit = async () => {
    held = new Promise((resolve) => setTimeout(resolve))
    await editLast(store, '19!')
  }
  await transcript.loadEarlier(2)
  expect(texts()).toEqual(['15', '16', '17', '18', '19!'])
})
