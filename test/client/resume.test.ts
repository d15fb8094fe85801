import { afterEach, expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { LiveQuery } from '../../src/client/live-value.ts'
import type { Session } from '../../src/client/session-contract.ts'
import type { EntryView } from '../../src/contract/entry.ts'
import { createProfile } from './support/open-port-client.ts'

const clients: SessionClient[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

/** Two tabs on one session, in which a reply was cut off. */
async function openCutOff(): Promise<readonly [Session, Session]> {
  const profile = createProfile()
  const name = `resume-${Math.random()}`
  const tabs = [await profile.open({ name }), await profile.open({ name })] as const
  clients.push(...tabs)
  const sessions = [await tabs[0].session('k'), await tabs[1].session('k')] as const
  await sessions[0].append({ role: 'user', content: 'q' })
  const reply = sessions[0].stream()
  reply.writeReasoning('so')
  reply.write('half')
  await reply.abort()
  return sessions
}
async function until<T>(query: LiveQuery<T>, holds: (value: T) => boolean): Promise<T> {
  for await (const value of query) if (holds(value)) return value
  throw new Error('The query has ended.')
}
const half = { role: 'assistant', content: 'half', reasoning_content: 'so', interrupted: true, stopped: true }

it('lists the replies that were cut off, with what there is of them', async () => {
  const [session, other] = await openCutOff()
  const listed = await other.interrupted()
  expect(listed).toMatchObject([
    {
      message: half,
      text: 'half',
      reasoning: 'so',
      stopped: true,
      parts: [
        { type: 'reasoning', text: 'so' },
        { type: 'text', text: 'half' },
      ],
    },
  ])
  await session.append({ role: 'user', content: 'never mind' })
  expect(await other.interrupted({ last: 1 })).toEqual([])
  expect(await other.interrupted()).toEqual(listed)
})

it('goes on with a reply, and makes it whole in its place', async () => {
  const [session] = await openCutOff()
  await session.append({ role: 'user', content: 'go on' })
  const [cutOff] = await session.interrupted()
  const reply = session.stream({ resume: cutOff! })
  expect([reply.text, reply.parts]).toEqual(['half', cutOff!.parts])
  reply.write(' and half')
  expect(await reply.end()).toMatchObject({ id: cutOff!.id })
  expect((await session.messages())[1]).toEqual({
    role: 'assistant',
    content: 'half and half',
    reasoning_content: 'so',
  })
  expect(await session.messages()).toHaveLength(3)
  expect(await session.interrupted()).toEqual([])
})

it('shows one growing reply while it is gone on with, here and in the other tab', async () => {
  const [session, other] = await openCutOff()
  await session.append({ role: 'user', content: 'go on' })
  const transcripts = [session.transcript(), other.transcript()] as const
  await Promise.all(transcripts.map((transcript) => transcript.ready()))
  const seen = transcripts.map((transcript) => {
    const shown = new Set<string>()
    transcript.subscribe(() => {
      const { entries, drafts } = transcript.getSnapshot()!
      shown.add(`${entries.length} ${drafts.length}`)
      texts.push((entries[1] as EntryView).message?.content as string)
    })
    return shown
  })
  const texts: string[] = []
  const [cutOff] = await session.interrupted()
  const reply = session.stream({ resume: cutOff! })
  for (const transcript of transcripts)
    await until(transcript, ({ entries }) => entries[1]?.message?.content === 'half')
  reply.write(' and')
  for (const transcript of transcripts) {
    const { entries } = await until(transcript, ({ entries }) => entries[1]?.message?.content === 'half and')
    // Nobody is asked to continue it meanwhile.
    expect(entries[1]?.message).not.toHaveProperty('interrupted')
  }
  expect(transcripts.map((transcript) => transcript.getSnapshot()!.resuming)).toEqual([[cutOff!.id], [cutOff!.id]])
  reply.write(' half')
  await reply.end()
  for (const transcript of transcripts) {
    // The page that streams it has all of it in memory before it is stored.
    const { entries } = await until(transcript, ({ resuming }) => resuming.length === 0)
    expect(entries[1]!.message).toEqual({ role: 'assistant', content: 'half and half', reasoning_content: 'so' })
  }
  expect(seen.map((shown) => [...shown])).toEqual([['3 0'], ['3 0']])
  // It only ever grows.
  for (const text of texts) expect('half and half'.startsWith(text)).toBe(true)
})

it('tells who comes second that somebody goes on with it already', async () => {
  const [session, other] = await openCutOff()
  const [cutOff] = await session.interrupted()
  const first = session.stream({ resume: cutOff! })
  await first.id
  expect(await other.interrupted()).toEqual([])
  const second = other.stream({ resume: cutOff! })
  second.write('mine')
  await expect(second.id).rejects.toMatchObject({ name: 'AccessDenied' })
  await expect(second.end()).rejects.toMatchObject({ name: 'AccessDenied' })
  first.write(' whole')
  await first.end()
  expect((await other.messages())[1]).toMatchObject({ content: 'half whole' })
})

it('keeps what it adds when it is aborted, or leaves the reply as it was', async () => {
  const [session] = await openCutOff()
  const dropped = session.stream({ resume: (await session.interrupted())[0]! })
  dropped.write('?')
  await dropped.abort({ keep: false })
  expect((await session.messages())[1]).toEqual(half)
  const kept = session.stream({ resume: (await session.interrupted())[0]! })
  kept.write(' more')
  await kept.abort()
  expect((await session.messages())[1]).toEqual({ ...half, content: 'half more' })
  expect(await session.interrupted()).toMatchObject([{ text: 'half more' }])
})

it('refuses to go on with what is no message', async () => {
  const [session] = await openCutOff()
  expect(() => session.stream({ resume: {} as EntryView })).toThrow(TypeError)
})
