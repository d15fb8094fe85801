import type { EntryRef } from '../../contract/entry.ts'
import type { MessageIdentity } from '../../contract/message-identity.ts'
import { copyPath, refuseOtherSession } from '../../whole-log/copy-path.ts'
import { isLong } from '../../whole-log/is-long.ts'
import type { CopyOptions } from '../branches/branch-types.ts'
import type { Session, SessionInit } from '../session-contract.ts'
import { describeSession } from './describe-session.ts'
import type { SessionParts } from './session-parts.ts'
import type { SessionSurroundings } from './session-surroundings.ts'

/** What differs between the handles of a client. */
export type HandleParts = Omit<
  SessionParts,
  'openStreams' | 'openEphemeral' | 'openBranched' | 'runTask' | 'check' | 'isClientClosed'
>

/** What handles are opened with. */
export interface HandleContext extends Pick<SessionSurroundings, 'store' | 'name' | 'feed' | 'userId' | 'runTask'> {
  /** Draws the key of a new session. */
  drawKey(): Promise<string>
  createHandle(parts: HandleParts): Session
}

/** Opens a session by its key or alias, or a new one, and writes what `init` says about it. */
export async function openByKey(
  { store, name, feed, userId: owner, drawKey, createHandle }: HandleContext,
  { key: asked, ...init }: SessionInit,
): Promise<Session> {
  const [key, found] =
    asked === undefined
      ? [await drawKey()]
      : // Both in one message: what a page waits for when it starts.
        await Promise.all([store.resolveSessionKey(asked), store.getMeta(asked)])
  let meta = found
  const news = Object.entries(init).filter(
    ([field, value]) =>
      value !== undefined && JSON.stringify(meta?.[field as keyof typeof meta]) !== JSON.stringify(value),
  )
  if (news.length > 0)
    meta = await store.updateMeta(key, {
      ...(meta?.userId === undefined && owner !== undefined ? { userId: owner } : {}),
      ...Object.fromEntries(news),
    })
  return createHandle({
    store,
    name,
    feed,
    key,
    agentName: meta?.agentId ?? '',
    userId: meta?.userId ?? owner ?? '',
    isKnown: meta !== undefined && meta.deletedAt === undefined,
    // With its first entry, as nothing is written before.
    ...(meta?.userId === undefined && owner !== undefined
      ? { onRestart: () => store.updateMeta(key, { userId: owner }, { durability: 'relaxed' }) }
      : {}),
  })
}

/** Opens the session of an agent, and writes its scope, aliases and agent; for a deleted one with its first append. */
export async function openOwned(
  { store, name, feed, userId: owner, createHandle }: HandleContext,
  asked: string,
  agentId: string,
  found?: MessageIdentity,
): Promise<Session> {
  const [key, meta] = await Promise.all([store.resolveSessionKey(asked), store.getMeta(asked)])
  const isKnown = meta?.deletedAt === undefined
  const described = isKnown
    ? await describeSession(store, key, { agentId, userId: owner }, meta, found)
    : { conflicts: [] }
  return createHandle({
    store,
    name,
    feed,
    key,
    agentName: meta?.agentId ?? agentId,
    userId: meta?.userId ?? owner ?? '',
    isKnown,
    ...(found === undefined ? {} : { identity: Object.freeze({ ...found, ...described }) }),
    ...(isKnown ? {} : { onRestart: () => describeSession(store, key, { agentId, userId: owner }, undefined, found) }),
  })
}

/** Copies the path to an entry of a session, and opens the copy. */
export async function openCopy(
  context: HandleContext,
  { store: source, key: parent }: Pick<HandleParts, 'store' | 'key'>,
  leaf: EntryRef,
  { key: asked, ...options }: CopyOptions = {},
): Promise<Session> {
  const { store, drawKey, runTask } = context
  const key = asked === undefined ? await drawKey() : await store.resolveSessionKey(asked)
  refuseOtherSession(key, await store.getMeta(key), parent)
  const isDrawn = asked === undefined
  // A sub-turn has a store of its own, which no worker knows.
  if (source === store && (await isLong(store, parent)))
    await runTask({ kind: 'copyPath', key: parent, leaf, into: key, isDrawn }, options)
  else await copyPath(source, parent, leaf, key, { ...options, isDrawn, target: store })
  return openByKey(context, { key })
}
