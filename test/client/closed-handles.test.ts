import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { openSessionStore } from '../../src/index.ts'

const memory = { modes: ['memory'], timeoutMs: 60_000 } as const
const hello = { role: 'user', content: 'hello' }

const namesOf = (calls: readonly (() => unknown)[]): Promise<unknown[]> =>
  Promise.all(
    calls.map(async (call) => {
      try {
        await call()
        return 'resolved'
      } catch (error) {
        return (error as Error).name
      }
    }),
  )

describe('a closed session', () => {
  it('refuses every method and says what to do, while its client goes on', async () => {
    await using client = await openSessionStore(memory)
    const session = await client.session('chat')
    const { branch, order } = await session.append(hello)
    await session.close()
    await session.close()
    const calls = [
      () => session.append(hello),
      () => session.messages(),
      () => session.edit({ branch, order }, hello),
      () => session.branches.list(),
      () => session.checkpoints.list(),
      () => session.stream().id,
      () => session.transcript().ready(),
      () => session.ephemeral(),
      () => session[Symbol.asyncIterator](),
    ]
    expect(await namesOf(calls)).toEqual(calls.map(() => 'StorageClosed'))
    await expect(session.append(hello)).rejects.toThrow(
      'this handle on session "chat" was closed. Open the session again',
    )
    expect(await (await client.session('chat')).messages()).toEqual([hello])
  })

  it('can be closed while its client is closed, which closes its sessions', async () => {
    const client = await openSessionStore(memory)
    const session = await client.session('chat')
    const closing = client.close()
    await expect(session.append(hello)).rejects.toThrow('the client of session "chat" was closed')
    await closing
    await session.close()
  })
})

it('a closed client refuses every method', async () => {
  const client = await openSessionStore({ ...memory, name: 'over' })
  await client.close()
  await client.close()
  const calls = [
    () => client.session('chat'),
    () => client.mainSession(),
    () => client.listSessions(),
    () => client.sessions().ready(),
    () => client.search('hello'),
    () => client.delete('chat'),
    () => client.blobs.get('0'),
    () => client.files.export('pi').result,
    () => client.upkeep.verify().result,
    () => client.upkeep.usage(),
    () => client.upkeep.health(),
    () => client.lead(() => undefined),
  ]
  expect(await namesOf(calls)).toEqual(calls.map(() => 'StorageClosed'))
  await expect(client.listSessions()).rejects.toThrow(/was closed.* Open it again/)
})

it('a merge copies messages that are older than the schema', async () => {
  const schema = z.looseObject({ role: z.string(), content: z.string(), stars: z.number() })
  await using client = await openSessionStore<object>({ ...memory, schema })
  // As an app without the schema stored it.
  await client.store.append('chat', [{ type: 'message', message: hello }])
  const session = await client.session('chat')
  const [first] = (await session.page()).entries
  const { id } = await session.branches.after(first!)
  await client.store.append('chat', [{ type: 'message', message: { role: 'user', content: 'other' } }], { branch: id })
  await session.branches.switchTo('')
  expect(await session.branches.merge(id)).toMatchObject({ added: 1 })
  await expect(session.append(hello)).rejects.toMatchObject({ name: 'InvalidInput' })
})
