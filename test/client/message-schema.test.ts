import { describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod/mini'
import { openSessionStore, type Session } from '../../src/index.ts'

interface Note {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly stars?: number | undefined
}

const noteSchema = z.looseObject({
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  stars: z.optional(z.number()),
})

/** In a cold run the engine takes seconds to compile. */
const memory = { modes: ['memory'], timeoutMs: 60_000 } as const

const note: Note = { role: 'user', content: 'five stars', stars: 5 }
const open = () => openSessionStore<Note>({ ...memory, schema: noteSchema })

describe('typed messages', () => {
  it('come back with the type of the app', async () => {
    await using client = await openSessionStore<Note>({ ...memory })
    const session = await client.session('notes')
    await session.append(note)
    const messages = await session.messages()
    expectTypeOf(messages).toEqualTypeOf<readonly Note[]>()
    expect(messages).toEqual([note])
    const { entries } = await session.page()
    expectTypeOf(entries[0]!.message).toEqualTypeOf<Note | undefined>()
  })

  it('are any JSON messages where an app names no type', async () => {
    await using client = await openSessionStore({ ...memory })
    const session = await client.session('any')
    await session.append({ role: 'user', content: 'hello', anything: [1] })
    expect((await session.messages())[0]?.['anything']).toEqual([1])
  })
})

describe('a schema', () => {
  it('lets messages through that match it, as they were given', async () => {
    await using client = await open()
    const session = await client.session('notes')
    await session.append(note)
    await session.edit((await session.page()).entries[0]!, { ...note, stars: 4 })
    expect(await session.messages()).toEqual([{ ...note, stars: 4 }])
  })

  const bad = { role: 'user', content: 'x', stars: 'many' } as unknown as Note
  const place = expect.stringContaining('"stars"')

  it.each<[string, (session: Session<Note>) => Promise<unknown>]>([
    ['append', (session) => session.append(bad)],
    [
      'appendAll',
      (session) =>
        session.appendAll([
          { type: 'message', message: note },
          { type: 'message', message: bad },
        ]),
    ],
    ['edit', async (session) => session.edit((await session.page()).entries[0]!, bad)],
    ['editAndResend', async (session) => session.editAndResend((await session.page()).entries[0]!, bad)],
  ])('refuses a message that does not match, and %s writes nothing', async (_, write) => {
    await using client = await open()
    const session = await client.session('notes')
    await session.append(note)
    await expect(write(session)).rejects.toMatchObject({ name: 'InvalidInput', message: place })
    expect(await session.messages()).toEqual([note])
  })

  it('refuses the end of a stream, which can be ended again', async () => {
    await using client = await open()
    const session = await client.session('notes')
    const reply = session.stream()
    reply.write('hello')
    await expect(reply.end(bad)).rejects.toMatchObject({ name: 'InvalidInput', message: place })
    await reply.end()
    expect(await session.messages()).toEqual([{ role: 'assistant', content: 'hello' }])
  })

  it('never costs a reply that is cut off', async () => {
    await using client = await openSessionStore<Note>({
      ...memory,
      schema: z.looseObject({ role: z.literal('user'), content: z.string() }) as never,
    })
    const session = await client.session('notes')
    const reply = session.stream()
    reply.write('half a sen')
    await reply.abort()
    expect((await session.interrupted()).map(({ text }) => text)).toEqual(['half a sen'])
  })
})

it('tags replace those before', async () => {
  await using client = await openSessionStore({ ...memory })
  const session = await client.session('tagged')
  await session.tag(['work', 'pinned'])
  await session.tag(['pinned'])
  expect((await session.meta())?.tags).toEqual(['pinned'])
})
