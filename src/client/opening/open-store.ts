import type { SessionClient } from '../client-contract.ts'
import type { OpenOptions, StoreMode } from '../open-options.ts'
import { createChangeFeed } from '../session/change-feed.ts'
import { createSessionClient, type LaterParts } from '../session/session-client.ts'
import { holdPageLock } from '../worker/page-lock.ts'
import { databaseName } from './database-name.ts'
import { hasLeftSessions } from './has-left-sessions.ts'
import { type OpenerOf, type OpeningAttempt, openLadder } from './ladder.ts'

/**
 * Tries these modes in order, and creates a client of the first store that opens.
 *
 * @param parts - code that an app may load later, or have from the start
 */
export async function openStore(
  options: OpenOptions<object>,
  modes: readonly StoreMode[],
  openerOf: OpenerOf,
  parts: LaterParts,
): Promise<SessionClient> {
  const { mirror = true, userId, encryption, onChange, routing, retention, schema } = options
  const { timeoutMs = modes.length > 1 ? 4000 : 20_000 } = options
  const name = databaseName(options.name, userId)
  const route = routing && (await parts.load()).createSessionRouter(routing)
  if (retention) (await parts.load()).checkRetention(retention)
  const feed = createChangeFeed()
  if (onChange !== undefined) feed.subscribe(onChange)
  const page = holdPageLock(name)
  const attempt: OpeningAttempt = { name, timeoutMs, feed, mirror, encryption, owner: page.name, retention }
  const opening = openLadder(openerOf, modes, attempt)
  // Loaded while the worker starts, but after its script was asked for, so that the first session need not wait for it.
  setTimeout(() => parts.load().catch(() => undefined))
  let opened = await opening.catch((error: unknown) => {
    page.release()
    throw error
  })
  // Only databases have an epoch.
  if (opened.epoch && (opened.mirror?.hasLost || hasLeftSessions(name)))
    opened = await parts
      .load()
      .then(({ makeWhole }) => makeWhole(opened, attempt))
      .catch(() => opened)
  const client = createSessionClient({ ...opened, attempt, name, userId, feed, page, route, schema }, parts)
  // In a separate task, when the caller had time to subscribe.
  parts.load().then(
    ({ announceOpening }) => setTimeout(() => announceOpening(opened, attempt, client)),
    () => undefined,
  )
  return client
}
