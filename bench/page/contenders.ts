import type { SessionClient } from '../../src/client/client-contract.ts'
import type { EntryInput } from '../../src/contract/entry.ts'
import { openDirectStore } from '../../src/direct.ts'
import { openSessionStore } from '../../src/index.ts'
import { messagesBetween } from './messages.ts'

const database = 'bench-keepsession'

/** The store behind its worker; it must not take another way. */
export const openOurs = (): Promise<SessionClient> =>
  openSessionStore({ name: database, modes: ['worker'], timeoutMs: 20_000 })

/** The same database from the page itself. */
export const openOursInPage = (): Promise<SessionClient> =>
  openDirectStore({ name: database, modes: ['in-page'], timeoutMs: 20_000 })

/** Makes a session of so many messages, unless it is there. */
export async function seedOurs(client: SessionClient, key: string, size: number): Promise<void> {
  const already = (await client.store.getMeta(key))?.messageCount ?? 0
  for (const [from, to] of chunks(already, size, 1024))
    await client.store.append(key, inputs(from, to), { durability: 'relaxed' })
}

const inputs = (from: number, to: number): EntryInput[] =>
  messagesBetween(from, to).map((message) => ({ type: 'message', message }))

/** `[from, to)` in pieces, so that not everything is in memory at once. */
export function* chunks(from: number, to: number, size: number): Generator<readonly [number, number]> {
  for (let at = from; at < to; at += size) yield [at, Math.min(to, at + size)]
}
