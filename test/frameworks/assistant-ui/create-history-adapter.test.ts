import type { ExportedMessageRepositoryItem, ThreadHistoryAdapter, ThreadMessage } from '@assistant-ui/core'
import { ExportedMessageRepository, MessageRepository } from '@assistant-ui/core/internal'
import { afterEach, describe, expect, it } from 'vitest'
import { createHistoryAdapter } from '../../../src/adapters/assistant-ui/create-history-adapter.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import type { Session } from '../../../src/client/session-contract.ts'
import { SessionError } from '../../../src/contract/errors.ts'
import { createProfile, type Profile } from '../../client/support/open-port-client.ts'
import { openThread, textOf } from './support/open-thread.ts'

const clients: SessionClient[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

async function openClient(profile: Profile): Promise<SessionClient> {
  const client = await profile.open({ name: 'threads' })
  clients.push(client)
  return client
}

async function open(profile = createProfile()) {
  const client = await openClient(profile)
  const session = await client.session('thread')
  return { profile, client, session, history: createHistoryAdapter<ThreadMessage>(session) }
}

const reopen = async (profile: Profile) => (await open(profile)).history

/** Items of a tree, each said to follow another one. */
// Without the marks that the library leaves on messages while they are on a page.
const items = (...tree: readonly (readonly [id: string, parentId: string | null])[]): ExportedMessageRepositoryItem[] =>
  structuredClone(
    ExportedMessageRepository.fromBranchableArray(
      tree.map(([id, parentId]) => ({
        parentId,
        message: {
          id,
          role: id.startsWith('u') ? 'user' : 'assistant',
          content: `text of ${id}`,
          createdAt: new Date(1),
        },
      })),
    ).messages,
  )

async function appendAll(history: ThreadHistoryAdapter, tree: readonly ExportedMessageRepositoryItem[]): Promise<void> {
  for (const item of tree) await history.append(item)
}
const pairs = (messages: readonly ExportedMessageRepositoryItem[]) =>
  messages.map(({ message, parentId }) => [message.id, parentId]).sort(([a], [b]) => (a! < b! ? -1 : 1))
/** The ids of everything in the log of a session, edits included. */
const logOf = async ({ store, key }: Session) => (await store.changes(key, {})).entries.length
/** How often something was stored, entries or not. */
const versionOf = async (session: Session) => (await session.page({ last: 1 })).version

it('is a history of the library', async () => {
  const { session } = await open()
  const history: ThreadHistoryAdapter = createHistoryAdapter(session)
  expect(await history.load()).toEqual({ headId: null, messages: [] })
  expect(await session.meta()).toBeUndefined()
})

describe('a thread', () => {
  it('comes back as its repository exports it, with all branches, parents in front', async () => {
    const { profile, history } = await open()
    const tree = items(
      ['u1', null],
      ['a1', 'u1'],
      ['u2', 'a1'],
      ['a2', 'u2'], // the first path
      ['a2b', 'u2'],
      ['u3', 'a2b'], // regenerated, and gone on with
      ['a2c', 'u2'], // once more
      ['u1b', null],
      ['a1b', 'u1b'], // the first message edited
      ['u2b', 'a1'], // an edit on the first path
    )
    await appendAll(history, tree)
    const loaded = await (await reopen(profile)).load()
    expect(loaded.headId).toBe('u2b')
    const seen = new Set<string>()
    for (const { message, parentId } of loaded.messages) {
      expect(parentId === null || seen.has(parentId)).toBe(true)
      seen.add(message.id)
    }
    expect(pairs(loaded.messages)).toEqual(pairs(tree))
    const byId = new Map(tree.map((item) => [item.message.id, item]))
    for (const { message } of loaded.messages) expect(message).toEqual(byId.get(message.id)!.message)

    const repository = new MessageRepository()
    repository.import(loaded)
    expect(repository.getBranches('a2')).toEqual(['a2', 'a2b', 'a2c'])
    expect(repository.getBranches('u1')).toEqual(['u1', 'u1b'])
    expect(repository.getMessages().map(({ id }) => id)).toEqual(['u1', 'a1', 'u2b'])
    expect(pairs(repository.export().messages)).toEqual(pairs(tree))
  })

  it('gets a branch when two tabs append behind the same message, and each message once', async () => {
    const { profile, history } = await open()
    await appendAll(history, items(['u1', null], ['a1', 'u1']))
    const tabs = [await reopen(profile), await reopen(profile)]
    await Promise.all(tabs.map((tab, n) => appendAll(tab, items([`u2${n}`, 'a1'], [`a2${n}`, `u2${n}`]))))
    expect(pairs((await history.load()).messages)).toEqual([
      ['a1', 'u1'],
      ['a20', 'u20'],
      ['a21', 'u21'],
      ['u1', null],
      ['u20', 'a1'],
      ['u21', 'a1'],
    ])
  })

  it('keeps the settings of runs, dates, bytes and results of tools', async () => {
    const { profile, history } = await open()
    const [user, assistant] = items(['u1', null], ['a1', 'u1'])
    const result = { at: new Date(5), bytes: Uint8Array.of(1, 2), $date: 'text' }
    const call = { type: 'tool-call', toolCallId: 'c', toolName: 'clock', args: {}, argsText: '{}', result }
    const message = { ...assistant!.message, content: [call] } as unknown as ThreadMessage
    const tree = [
      { ...user!, runConfig: { custom: { model: 'x' } } },
      { ...assistant!, message },
    ]
    await appendAll(history, tree)
    expect((await (await reopen(profile)).load()).messages).toEqual(tree)
  })

  it('has text and reasoning of messages that came from elsewhere, and changes them in their place', async () => {
    const { history, session } = await open()
    await session.append({ role: 'user', content: 'Hello' })
    await session.append({ role: 'tool', content: 'nothing to show' })
    await session.append({ role: 'assistant', content: 'Hi', reasoning_content: 'Greet.', interrupted: true })
    const { messages, headId } = await history.load()
    expect(messages.map(({ message }) => message.content)).toEqual([
      [{ type: 'text', text: 'Hello' }],
      [
        { type: 'reasoning', text: 'Greet.' },
        { type: 'text', text: 'Hi' },
      ],
    ])
    expect(messages[1]).toMatchObject({
      parentId: messages[0]!.message.id,
      message: { status: { type: 'incomplete' } },
    })
    expect(headId).toBe(messages[1]!.message.id)
    new MessageRepository().import({ headId, messages })
    const [, reply] = messages
    await history.update({
      ...reply!,
      message: { ...reply!.message, content: [{ type: 'text', text: 'Changed' }] } as ThreadMessage,
    })
    await history.append({ ...items(['u2', reply!.message.id])[0]! })
    const after = await history.load()
    expect(after.messages.map(({ message }) => textOf(message))).toEqual(['Hello', 'Changed', 'text of u2'])
    expect(after.messages[2]!.parentId).toBe(reply!.message.id)
  })

  it('ends where a new branch begins that has no message yet', async () => {
    const { history, session } = await open()
    await appendAll(history, items(['u1', null], ['a1', 'u1'], ['u2', 'a1'], ['a2', 'u2']))
    await session.regenerate({ mid: 'a1' })
    expect((await history.load()).headId).toBe('u1')
    await appendAll(history, items(['a1b', 'u1']))
    const { headId, messages } = await history.load()
    expect([headId, messages.find(({ message }) => message.id === 'a1b')?.parentId]).toEqual(['a1b', 'u1'])
  })

  it('is there whole where a branch shows what its parent does not show any more', async () => {
    const { profile, history, session } = await open()
    await appendAll(history, items(['u1', null], ['a1', 'u1'], ['u2', 'a1'], ['a2', 'u2']))
    const { id } = await session.checkpoints.create()
    await session.entries.clear()
    await session.checkpoints.restore(id)
    await session.regenerate()
    const { headId, messages } = await (await reopen(profile)).load()
    expect([headId, pairs(messages)]).toEqual([
      'u2',
      [
        ['a1', 'u1'],
        ['a2', 'u2'],
        ['u1', null],
        ['u2', 'a1'],
      ],
    ])
  })

  it('is a session with a title and texts that search finds', async () => {
    const { history, client } = await open()
    await appendAll(history, items(['u1', null], ['a1', 'u1']))
    expect((await client.listSessions()).sessions).toMatchObject([{ title: 'text of u1', messageCount: 2 }])
  })
})

describe('a message', () => {
  it('that is appended or updated again with the same content writes nothing', async () => {
    const { history, session } = await open()
    const tree = items(['u1', null], ['a1', 'u1'])
    await appendAll(history, tree)
    const before = await logOf(session)
    for (const item of structuredClone(tree)) await history.update!(item)
    await appendAll(history, tree)
    expect(await logOf(session)).toBe(before)
  })

  it('that the page has as it was stored or loaded costs nothing when it is updated', async () => {
    const { profile, history } = await open()
    const tree = items(['u1', null], ['a1', 'u1'])
    await appendAll(history, tree)
    const next = await open(profile)
    const { messages } = await next.history.load()
    const before = await versionOf(next.session)
    for (const item of tree) await history.update!(item)
    for (const item of messages) await next.history.update!(item)
    expect(await versionOf(next.session)).toBe(before)
    await next.history.delete!([messages[1]!])
    await next.history.update!(messages[1]!)
    expect(pairs((await next.history.load()).messages)).toEqual(pairs(tree))
  })

  it('is changed by its id, on whatever branch it is, and another branch stays shown', async () => {
    const { history } = await open()
    const tree = items(['u1', null], ['a1', 'u1'], ['a1b', 'u1'])
    await appendAll(history, tree)
    await history.update!({ ...tree[1]!, message: items(['a1', null])[0]!.message })
    const changed = {
      ...tree[1]!,
      message: { ...tree[1]!.message, content: [{ type: 'text', text: 'new' }] } as ThreadMessage,
    }
    await history.update!(changed)
    const { headId, messages } = await history.load()
    expect(headId).toBe('a1b')
    expect(messages.find(({ message }) => message.id === 'a1')).toEqual(changed)
  })

  it('that was never stored is stored by an update', async () => {
    const { history } = await open()
    await history.update!(items(['u1', null])[0]!)
    expect(pairs((await history.load()).messages)).toEqual([['u1', null]])
  })

  it('is deleted once or twice, and those behind it follow what was in front of it', async () => {
    const { history, session } = await open()
    const tree = items(['u1', null], ['a1', 'u1'], ['u2', 'a1'], ['u2b', 'a1'])
    await appendAll(history, tree)
    await history.delete!([tree[1]!])
    await history.delete!([tree[1]!, items(['never', null])[0]!])
    expect(pairs((await history.load()).messages)).toEqual([
      ['u1', null],
      ['u2', 'u1'],
      ['u2b', 'u1'],
    ])
    await session.delete()
    await history.delete!([tree[0]!])
  })

  it('is refused when JSON can not represent it, and the next one is not', async () => {
    const { history } = await open()
    const [bad, good] = items(['u1', null], ['u2', null])
    const broken = { ...bad!, message: { ...bad!.message, metadata: { custom: { map: new Map() } } } as ThreadMessage }
    await expect(history.append(broken)).rejects.toMatchObject({ name: 'InvalidInput' })
    await history.append(good!)
    expect(pairs((await history.load()).messages)).toEqual([['u2', null]])
  })

  it('that is refused is left out, and those behind it follow what was in front of it', async () => {
    const { history } = await open()
    const [u1, a1, u2, a2, u3] = items(['u1', null], ['a1', 'u1'], ['u2', 'a1'], ['a2', 'u2'], ['u3', 'a2'])
    const broken = (item: ExportedMessageRepositoryItem) => ({
      ...item,
      message: { ...item.message, metadata: { custom: { map: new Map() } } } as ThreadMessage,
    })
    await history.append(u1!)
    await expect(history.append(broken(a1!))).rejects.toMatchObject({ name: 'InvalidInput' })
    await expect(history.append(broken(u2!))).rejects.toMatchObject({ name: 'InvalidInput' })
    await history.append(a2!)
    await history.append(u3!)
    expect(await history.load()).toMatchObject({
      headId: 'u3',
      messages: [
        { parentId: null, message: { id: 'u1' } },
        { parentId: 'u1', message: { id: 'a2' } },
        { parentId: 'a2', message: { id: 'u3' } },
      ],
    })
  })

  it('whose change is refused stays where it is, and those behind it follow it', async () => {
    const { history } = await open()
    const [u1, a1, u2] = items(['u1', null], ['a1', 'u1'], ['u2', 'a1'])
    await appendAll(history, [u1!, a1!])
    const message = { ...a1!.message, metadata: { custom: { map: new Map() } } } as ThreadMessage
    await expect(history.update!({ ...a1!, message })).rejects.toMatchObject({ name: 'InvalidInput' })
    await history.append(u2!)
    expect(pairs((await history.load()).messages)).toEqual([
      ['a1', 'u1'],
      ['u1', null],
      ['u2', 'a1'],
    ])
  })

  it('that was refused and is stored later is followed again', async () => {
    const { history } = await open()
    const [u1, a1, u2] = items(['u1', null], ['a1', 'u1'], ['u2', 'a1'])
    await history.append(u1!)
    const message = { ...a1!.message, metadata: { custom: { map: new Map() } } } as ThreadMessage
    await expect(history.append({ ...a1!, message })).rejects.toMatchObject({ name: 'InvalidInput' })
    await history.update!(a1!)
    await history.append(u2!)
    expect(pairs((await history.load()).messages)).toEqual([
      ['a1', 'u1'],
      ['u1', null],
      ['u2', 'a1'],
    ])
  })

  it('that found no space is stored in front of the next one', async () => {
    const { client } = await open()
    const session: Session<object> = await client.session('thread')
    let isFull = true
    const history = createHistoryAdapter<ThreadMessage>({
      ...session,
      entries: {
        ...session.entries,
        put: (message, options) =>
          isFull ? Promise.reject(new SessionError('QuotaExceeded', 'full')) : session.entries.put(message, options),
      },
    })
    const [first, second] = items(['u1', null], ['a1', 'u1'])
    await expect(history.append(first!)).rejects.toMatchObject({ name: 'QuotaExceeded' })
    isFull = false
    await history.append(second!)
    expect(pairs((await history.load()).messages)).toEqual([
      ['a1', 'u1'],
      ['u1', null],
    ])
  })
})

describe('a thread that was deleted', () => {
  it.each([
    ['this tab', (_: Profile, client: SessionClient) => client.delete('thread')],
    ['another tab', async (profile: Profile) => (await openClient(profile)).delete('thread')],
    ['another tab for good', async (profile: Profile) => (await openClient(profile)).purge('thread')],
  ])('in %s is not brought back by what is appended later', async (_, remove) => {
    const { profile, client, history } = await open()
    await history.load()
    await history.append(items(['u1', null])[0]!)
    await remove(profile, client)
    await expect(history.append(items(['a1', 'u1'])[0]!)).rejects.toMatchObject({ name: 'SessionNotFound' })
    await expect(history.update!(items(['u1', null])[0]!)).rejects.toMatchObject({ name: 'SessionNotFound' })
    expect((await client.listSessions()).sessions).toEqual([])
  })

  it('is not brought back by a tab that had it open before it was created and deleted', async () => {
    const { profile, history, client } = await open()
    await history.load()
    const other = await (await openClient(profile)).session('thread')
    await other.append({ role: 'user', content: 'a' })
    await other.delete()
    await expect(history.append(items(['u1', null])[0]!)).rejects.toMatchObject({ name: 'SessionNotFound' })
    expect((await client.listSessions()).sessions).toEqual([])
  })

  it('begins anew when it is opened after that', async () => {
    const { profile, client, history } = await open()
    await history.append(items(['u1', null])[0]!)
    await client.delete('thread')
    const next = await reopen(profile)
    expect(await next.load()).toEqual({ headId: null, messages: [] })
    await appendAll(next, items(['u2', null], ['a2', 'u2']))
    expect(pairs((await next.load()).messages)).toEqual([
      ['a2', 'u2'],
      ['u2', null],
    ])
  })
})

describe('the local runtime', () => {
  it('shows after a reload what it showed before, and the other versions of its messages', async () => {
    const { profile, history } = await open()
    const page = await openThread(history)
    await page.send('a')
    await page.regenerate()
    await page.send('b')
    await page.edit(page.thread.messages[2]!, 'c')
    expect(page.shown()).toEqual(['a', '2: a', 'c', '4: c'])
    const next = await openThread(await reopen(profile))
    expect(next.shown()).toEqual(page.shown())
    expect(next.thread.messages).toEqual(page.thread.messages)
    expect(pairs(next.thread.export().messages)).toEqual(pairs(page.thread.export().messages))
    const [, reply, question] = next.thread.messages
    expect(
      [next.thread.getBranches(reply!.id), next.thread.getBranches(question!.id)].map(({ length }) => length),
    ).toEqual([2, 2])
    next.thread.switchToBranch(next.thread.getBranches(reply!.id)[0]!)
    expect(next.shown()).toEqual(['a', '1: a'])
    await next.send('d')
    expect((await openThread(await reopen(profile))).shown()).toEqual(['a', '1: a', 'd', '1: d'])
  })

  it('loads the messages of another thread when its history is exchanged for that of the thread', async () => {
    const { client, session, history } = await open()
    const page = await openThread(history)
    await page.send('a')
    const other = createHistoryAdapter<ThreadMessage>(await client.session('other'))
    await appendAll(other, items(['u1', null]))
    await page.exchange(other)
    expect(page.shown()).toEqual(['text of u1'])
    await page.exchange(createHistoryAdapter<ThreadMessage>(Promise.resolve(session), { scopeId: 'thread' }))
    expect(page.shown()).toEqual(['a', '1: a'])
    expect(createHistoryAdapter(Promise.resolve(session))).not.toHaveProperty('scopeId')
  })

  it('deletes a message from the session', async () => {
    const { profile, history } = await open()
    const page = await openThread(history)
    await page.send('a')
    await page.send('b')
    await page.thread.deleteMessage(page.thread.messages[1]!.id)
    expect((await openThread(await reopen(profile))).shown()).toEqual(page.shown())
  })
})

describe('messages in the format of another library', () => {
  interface UiMessage {
    id: string
    role?: string
    parts: { type: string; text?: string; url?: string }[]
  }
  const format = {
    format: 'ai-sdk/v6',
    encode: ({ message: { id: _, ...rest } }: { message: UiMessage }) => rest as Record<string, unknown>,
    decode: ({
      id,
      parent_id,
      content,
    }: {
      id: string
      parent_id: string | null
      content: Record<string, unknown>
    }) => ({ parentId: parent_id, message: { id, ...content } as unknown as UiMessage }),
    getId: ({ id }: UiMessage) => id,
  }

  it('come back with all branches, apart from those in other formats', async () => {
    const { profile, history } = await open()
    const formatted = history.withFormat(format)
    const tree = [
      { parentId: null, message: { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] } },
      { parentId: 'u1', message: { id: 'a1', role: 'assistant', parts: [{ type: 'text', text: 'Hi' }] } },
      { parentId: 'u1', message: { id: 'a2', parts: [{ type: 'text', text: 'without a role' }] } },
    ]
    for (const item of tree) await formatted.append(item)
    await formatted.update!(tree[0]!)
    const next = await reopen(profile)
    expect(await next.withFormat(format).load()).toEqual({ headId: 'a2', messages: tree })
    expect(await next.load()).toEqual({ headId: null, messages: [] })
    expect(await next.withFormat({ ...format, format: 'other' }).load()).toEqual({ headId: null, messages: [] })
    await formatted.delete!([tree[1]!])
    expect((await next.withFormat(format).load()).messages).toHaveLength(2)
  })

  it('have their data URLs again, whose bytes are stored as blobs', async () => {
    const { profile, history, session, client } = await open()
    const url = `data:image/png;base64,${btoa('some bytes')}`
    const item = { parentId: null, message: { id: 'u1', role: 'user', parts: [{ type: 'file', url }] } }
    await history.withFormat(format).append(item)
    const [stored] = await session.messages()
    const [{ url: name }] = stored!['parts'] as unknown as [{ url: string }]
    expect(name).toMatch(/^data:image\/png;blob:[0-9a-f]{64}$/)
    expect(await (await client.blobs.get(name.slice(-64)))!.text()).toBe('some bytes')
    expect((await (await reopen(profile)).withFormat(format).load()).messages).toEqual([item])
  })
})
