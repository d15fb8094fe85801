import { afterEach, beforeEach, expect, it } from 'vitest'
import { createChangeFeed } from '../../src/client/session/change-feed.ts'
import { onNextFrame } from '../../src/client/session/next-frame.ts'
import type { Session, Transcript } from '../../src/client/session-contract.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { openHandle } from './support/open-handle.ts'

let base: SessionStore
/** Lets the journal of a reply be stored. */
let release: () => void
let writer: Session
let transcript: Transcript

/** Two handles of one page: what is journalled through the first one is held back. */
beforeEach(async () => {
  const feed = createChangeFeed()
  base = createSessionStore(createMemoryBackend(), { onChange: feed.emit })
  const isReleased = new Promise<void>((resolve) => (release = resolve))
  writer = await openHandle(
    {
      ...base,
      writeDraft: async (...given) => {
        await isReleased
        return base.writeDraft(...given)
      },
    },
    'k',
    feed,
  )
  await writer.append({ role: 'user', content: 'q' })
  transcript = writer.transcript()
  await transcript.ready()
})
afterEach(async () => {
  release()
  await writer.close()
  await base.close()
})

const drawn = (): Promise<void> => new Promise((resolve) => onNextFrame(resolve))
/** The text of the drafts, once the frame after this one is drawn. */
async function shown(): Promise<readonly string[]> {
  await drawn()
  await drawn()
  return transcript.getSnapshot()!.drafts.map(({ text }) => text)
}

it('shows the page that streams a reply every piece by the next frame, before it is stored', async () => {
  const reply = writer.stream({ mid: 'm' })
  await reply.id
  for (const piece of ['one ', 'two ', 'three']) reply.write(piece)
  expect(await shown()).toEqual(['one two three'])
  reply.writeReasoning('hm')
  reply.write(' four')
  expect(await shown()).toEqual(['one two three four'])
  expect(transcript.getSnapshot()!.drafts[0]).toMatchObject({
    mid: 'm',
    reasoning: 'hm',
    parts: [
      { type: 'text', text: 'one two three' },
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: ' four' },
    ],
  })
  expect(await base.listDrafts('k')).toMatchObject([{ text: '' }])
})

it('shows no half of a character that a piece ends in', async () => {
  const reply = writer.stream()
  await reply.id
  reply.write('one \uD83D')
  expect(await shown()).toEqual(['one '])
  reply.write('\uDE00')
  expect(await shown()).toEqual(['one \u{1F600}'])
})

it('makes one snapshot of all pieces of a frame', async () => {
  const reply = writer.stream()
  await reply.id
  await shown()
  let snapshots = 0
  transcript.subscribe(() => snapshots++)
  for (let i = 0; i < 1000; i++) reply.write('x')
  await shown()
  expect(snapshots).toBe(1)
})

it('keeps a draft as long as it does not grow', async () => {
  const reply = writer.stream()
  await reply.id
  reply.write('one')
  await shown()
  const [draft] = transcript.getSnapshot()!.drafts
  await writer.append({ role: 'user', content: 'meanwhile' })
  await shown()
  expect(transcript.getSnapshot()!.entries).toHaveLength(2)
  expect(transcript.getSnapshot()!.drafts[0]).toBe(draft)
})

it('never shows less of a reply while it ends', async () => {
  const lengths: number[] = []
  const reply = writer.stream()
  await reply.id
  transcript.subscribe(() => {
    const { entries, drafts } = transcript.getSnapshot()!
    lengths.push(drafts[0]?.text.length ?? String(entries[1]?.message?.content).length)
  })
  reply.write('one')
  await shown()
  reply.write(' two')
  await shown()
  release()
  await reply.end()
  await writer.append({ role: 'user', content: 'next' })
  expect(await shown()).toEqual([])
  expect(lengths).toEqual([...lengths].sort((a, b) => a - b))
  expect(lengths.at(-1)).toBe('one two'.length)
})

it('shows a resumed reply growing in its place', async () => {
  const cut = writer.stream()
  cut.write('half')
  release()
  await cut.abort()
  const [interrupted] = await writer.interrupted()
  const reply = writer.stream({ resume: interrupted! })
  await reply.id
  reply.write(' and more')
  expect(await shown()).toEqual([])
  expect(transcript.getSnapshot()!.entries.map(({ message }) => message?.content)).toEqual(['q', 'half and more'])
})
