import { expect } from 'vitest'
import type { Entry, EntryReceipt, EntryView, MessageInput, VersionVector } from '../contract/entry.ts'
import type { SessionErrorName } from '../contract/errors.ts'
import type { Message } from '../contract/message.ts'
import type { AppendOptions, ReadOptions } from '../contract/store/session-log.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { pushAll } from '../domain/push-all.ts'

export function user(content: string): Message {
  return { role: 'user', content }
}

export function assistant(content: string): Message {
  return { role: 'assistant', content }
}

export function entryOf(message: Message, more: Partial<MessageInput> = {}): MessageInput {
  return { type: 'message', message, ...more }
}

/** Appends what a user says, one message for each text, as one batch. */
export async function say(
  store: SessionStore,
  key: string,
  texts: readonly string[],
  options?: AppendOptions,
): Promise<readonly EntryReceipt[]> {
  const { entries } = await store.append(
    key,
    texts.map((text) => entryOf(user(text))),
    options,
  )
  return entries
}

/** `count` texts that tell their place: `m0`, `m1`, … */
export function numbered(count: number, prefix = 'm'): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${i}`)
}

export function textOf(message: Message | undefined): string {
  return typeof message?.content === 'string' ? message.content : JSON.stringify(message)
}

/** Every entry of a view, page by page. */
export async function readAll(
  store: SessionStore,
  key: string,
  options: ReadOptions = {},
): Promise<readonly EntryView[]> {
  const found: EntryView[] = []
  for (;;) {
    const page = await store.read(key, { ...options, after: found.at(-1)?.order ?? '', limit: options.limit ?? 1000 })
    pushAll(found, page.entries)
    if (!page.more) return found
    if (page.entries.length === 0) throw new Error('A page says that there is more, but gives nothing.')
  }
}

/** What a person scrolls: the texts of the transcript. */
export async function transcript(store: SessionStore, key: string, options?: ReadOptions): Promise<string[]> {
  return (await readAll(store, key, options)).map(({ message }) => textOf(message))
}

/** What a model gets: the texts of the context view. */
export async function history(store: SessionStore, key: string): Promise<string[]> {
  return (await store.getHistory(key)).map(textOf)
}

/** Every raw entry of a session that `since` does not cover, page by page. */
export async function allChanges(store: SessionStore, key: string, since?: VersionVector): Promise<readonly Entry[]> {
  const found: Entry[] = []
  let page = await store.changes(key, since)
  pushAll(found, page.entries)
  while (page.next !== undefined) {
    page = await store.changes(key, since, page.next)
    pushAll(found, page.entries)
  }
  return found
}

/** Every view of a session that does not depend on the store's own counting (versions, record layout). */
export async function everything(store: SessionStore, key: string): Promise<unknown> {
  const branches = await store.listBranches(key)
  const lines = []
  for (const { id } of branches) {
    for (const view of ['raw', 'transcript', 'context'] as const)
      lines.push(await readAll(store, key, { branch: id, view }))
  }
  return {
    meta: await store.getMeta(key),
    history: await store.getHistory(key),
    summary: await store.getSummary(key),
    checkpoints: await store.listCheckpoints(key),
    drafts: await store.listDrafts(key),
    branches,
    lines,
  }
}

/** Everything that a refused call must leave as it was: the session `s`, the list, and what is stored. */
export async function stateOf(store: SessionStore): Promise<unknown> {
  const { originBytes: _, quotaBytes: __, ...usage } = await store.usage()
  return { session: await everything(store, 's'), list: await store.listSessions(), usage }
}

/** A call is refused with an error of this name. */
export async function refuses(call: Promise<unknown>, name: SessionErrorName): Promise<void> {
  const outcome = await call.then(
    (value) => ({ resolved: value }),
    (error: unknown) => error,
  )
  expect(outcome).toMatchObject({ name, message: expect.any(String) })
}

/** The name of the error a call ends with; `undefined` when it succeeds. */
export async function errorNameOf(call: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await call()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.name : `not an error: ${String(error)}`
  }
}

/** What one store wrote, another one on the same place sees as soon as it hears of it. */
export async function soon<T>(look: () => Promise<T>, expected: T): Promise<void> {
  await expect.poll(look, { interval: 5, timeout: 2_000 }).toEqual(expected)
}

export function byId<T extends { readonly id: string }>(list: readonly T[], id: string): T {
  const found = list.find((one) => one.id === id)
  if (found === undefined) throw new Error(`There is no "${id}" among: ${list.map((one) => one.id).join(', ')}.`)
  return found
}
