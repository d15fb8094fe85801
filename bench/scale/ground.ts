import type { SessionClient } from '../../src/client/client-contract.ts'
import type { OpenOptions } from '../../src/client/open-options.ts'
import type { Session } from '../../src/client/session-contract.ts'
import type { EntryReceipt, MessageInput } from '../../src/contract/entry.ts'
import type { Message } from '../../src/contract/message.ts'
import type { BranchInfo, CheckpointInfo } from '../../src/contract/meta.ts'

/** A database of a size: one session of so many messages among so many others of one message each. */
export interface GroundSize {
  readonly messages: number
  readonly sessions: number
}

/** What the rows work on. */
export interface Ground extends GroundSize {
  /** Of the database. */
  readonly name: string
  readonly client: SessionClient
  readonly session: Session
  readonly key: string
  /** Entries of the main line. */
  readonly at: { readonly first: EntryReceipt; readonly middle: EntryReceipt; readonly last: EntryReceipt }
  /** A branch that leaves in the middle, with ten messages of its own. */
  readonly side: BranchInfo
  readonly checkpoint: CheckpointInfo
  /** Opens another client on the same database. */
  openAnother(): Promise<SessionClient>
  /** Opens a database of its own, with nothing in it. */
  openEmpty(options?: Pick<OpenOptions, 'encryption'>): Promise<SessionClient>
  /** Appends as many messages as the session has to a session of another database. */
  copyInto(client: SessionClient): Promise<unknown>
  /** Closes a client of a database of its own, and deletes that. */
  drop(client: SessionClient): Promise<void>
  /** A number that was never given before. */
  next(): number
}

export const groundKey = 'the-session'
export const otherKey = (i: number): string => `other-${i}`
export const groundAlias = 'the/session'

/** The message at a place of the conversation: about 200 bytes, and always the same. */
export function shortMessage(i: number): Message {
  const word = (i * 2_654_435_761) >>> 0
  return {
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: `Message ${i} is about ${word.toString(36)}, and says that the quick brown fox jumps over the lazy dog ${word % 97} times before it rests.`,
  }
}

const inputAt = (i: number): MessageInput => ({ type: 'message', message: shortMessage(i), mid: `mid-${i}` })
export const inputsBetween = (from: number, to: number): MessageInput[] =>
  Array.from({ length: to - from }, (_, i) => inputAt(from + i))

const batch = 4000

/** Where grounds are laid. */
export interface GroundPlace {
  /** Of the database. */
  readonly name: string
  open(name: string, options?: Pick<OpenOptions, 'encryption'>): Promise<SessionClient>
  remove(name: string): Promise<void>
}

/** Fills a database that is empty and gives what the rows work on. */
export async function layGround(size: GroundSize, { name, open, remove }: GroundPlace): Promise<Ground> {
  const client = await open(name)
  await fillOthers(client, size.sessions)
  const places = await fillSession(client, size.messages)
  const session = await client.session(groundKey)
  await client.store.ensureSessionMetadata(
    groundKey,
    { version: 1, agent_id: 'main', channel: 'bench', account: 'a' },
    [groundAlias],
  )
  const checkpoint = await client.store.checkpoint(groundKey, { label: 'laid' })
  const side = await client.store.openBranch(groundKey, { after: places.middle, head: false, name: 'side' })
  await client.store.append(
    groundKey,
    inputsBetween(0, 10).map(({ type, message }) => ({ type, message })),
    { branch: side.id },
  )
  let count = 0
  return {
    ...size,
    name,
    client,
    session,
    key: groundKey,
    at: places,
    side,
    checkpoint,
    openAnother: () => open(name),
    openEmpty: (options) => open(`${name}-beside-${++count}`, options),
    copyInto: (into) => fillSession(into, size.messages),
    drop: async (into) => {
      await into.close()
      await remove(into.name)
    },
    next: () => ++count,
  }
}

async function fillOthers(client: SessionClient, count: number): Promise<void> {
  for (let from = 0; from < count; from += 500) {
    const some = Array.from({ length: Math.min(500, count - from) }, (_, i) => from + i)
    await Promise.all(
      some.map((i) =>
        client.store.append(otherKey(i), [{ type: 'message', message: shortMessage(i) }], { durability: 'relaxed' }),
      ),
    )
  }
}

async function fillSession(client: SessionClient, messages: number): Promise<Ground['at']> {
  let first: EntryReceipt | undefined
  let middle: EntryReceipt | undefined
  let last: EntryReceipt | undefined
  for (let from = 0; from < messages; from += batch) {
    const to = Math.min(messages, from + batch)
    const { entries } = await client.store.append(groundKey, inputsBetween(from, to), { durability: 'relaxed' })
    first ??= entries[0]
    const half = messages >> 1
    if (half >= from && half < to) middle = entries[half - from]
    last = entries.at(-1)
  }
  if (first === undefined || middle === undefined || last === undefined)
    throw new Error('A ground needs at least one message.')
  return { first, middle, last }
}

/** Opens so many sessions that whatever is kept of others is dropped. */
export async function touchOthers({ client, sessions }: Ground, from: number, count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: Math.min(count, sessions) }, (_, i) =>
      client.store.read(otherKey((from + i) % sessions), { last: 1 }),
    ),
  )
}
