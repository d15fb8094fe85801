import { type CoreBackend, controlLane } from '../../../contract/backend.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import { goTrim } from '../../../domain/identity/go-text.ts'
import { loadReadable } from '../lifecycle/living-session.ts'
import { aliasesIn, aliasesOf, fieldOf } from '../metadata/stored-meta.ts'
import { readLane } from '../reading/read-lane.ts'
import { ownableAliases } from './alias-owners.ts'

/** A log that another session must continue. */
export interface Reunion {
  /** The key that the log was written under. */
  readonly session: string
  /** The session that has this key as a name. */
  readonly owner: string
}

/**
 * The session that has the key of another one as a name, as all devices will see it: the session that the log under the
 * key names, because that is the same on every device, or else the owner of the name here.
 */
export async function ownerOf(
  backend: CoreBackend,
  session: string,
  rows: SessionRows | undefined,
): Promise<string | undefined> {
  if (!isOwnable(session)) return undefined
  const [holder, promoted] = [backend.findAlias(session), rows && promotedTo(rows)]
  return promoted !== undefined && (await isOwner(backend, promoted, session)) ? promoted : holder
}

/**
 * Finds the sessions to reunite with a session that was just merged: the one that has its key as a name, and those
 * whose keys are names of it. Other devices conclude the same from the same logs.
 */
export async function findReunions(backend: CoreBackend, { hot, cold }: SessionRows): Promise<readonly Reunion[]> {
  const names = aliasesOf(cold).filter((alias) => alias !== hot.key && isOwnable(alias))
  const found = await Promise.all([
    withOwner(backend, { hot, cold }),
    ...names.map((name) => withNamed(backend, hot.key, name)),
  ])
  return found.filter((reunion) => reunion !== undefined)
}

async function withOwner(backend: CoreBackend, rows: SessionRows): Promise<Reunion | undefined> {
  const { key } = rows.hot
  if (promotedTo(rows) === undefined) return undefined
  const [owner, holder] = await Promise.all([ownerOf(backend, key, rows), backend.findAlias(key)])
  return owner === undefined || owner === holder ? undefined : { session: key, owner }
}

async function withNamed(backend: CoreBackend, owner: string, session: string): Promise<Reunion | undefined> {
  const [rows, holder] = await Promise.all([loadReadable(backend, session), backend.findAlias(session)])
  const reunion = { session, owner }
  if (!hasLog(rows))
    return holder !== undefined && holder !== owner && (await claimedBefore(backend, session, owner, holder))
      ? reunion
      : undefined
  const promoted = promotedTo(rows)
  if (promoted === owner) return holder !== owner && (await isOwner(backend, owner, session)) ? reunion : undefined
  if (promoted !== undefined && !(await hasGivenUp(backend, promoted, session))) return undefined
  // A deleted log is not continued, and its name is as free as one without a log.
  if (rows.hot.deletedAt !== undefined)
    return holder !== owner && (holder === undefined || (await claimedBefore(backend, session, owner, holder)))
      ? reunion
      : undefined
  const isFree = holder === undefined || holder === owner
  return isFree || (await claimedBefore(backend, session, owner, holder)) ? reunion : undefined
}

/** Whether a key has a log that its name goes with: one that is not deleted, or that says where it was continued. */
export function hasLog(rows: SessionRows | undefined): rows is SessionRows {
  return rows !== undefined && (rows.hot.deletedAt === undefined || promotedTo(rows) !== undefined)
}

/**
 * Whether the session that continued a log exists here and no longer has its name. A session that is missing here may
 * still arrive.
 */
export async function hasGivenUp(backend: CoreBackend, owner: string, session: string): Promise<boolean> {
  const rows = await loadReadable(backend, owner)
  return rows !== undefined && !aliasesOf(rows.cold).includes(session)
}

/** Whether a session has this name and its own log was not continued in another one. */
export async function isOwner(backend: CoreBackend, owner: string, session: string): Promise<boolean> {
  const rows = owner === session ? undefined : await loadReadable(backend, owner)
  if (rows === undefined || !aliasesOf(rows.cold).includes(session)) return false
  return promotedTo(rows) === undefined || (await backend.findAlias(owner)) === undefined
}

/** Whether a session had a name before another one. Their logs show that on every device, however they got there. */
async function claimedBefore(backend: CoreBackend, name: string, owner: string, other: string): Promise<boolean> {
  const [claim, others] = await Promise.all([firstClaim(backend, owner, name), firstClaim(backend, other, name)])
  return claim !== undefined && (others === undefined || claim < others)
}

/** When a session first had a name, as an order. */
async function firstClaim(backend: CoreBackend, key: string, name: string): Promise<string | undefined> {
  const rows = await loadReadable(backend, key)
  const controls = rows === undefined ? [] : await readLane(backend, rows.hot.session, controlLane, '')
  return controls.find((entry) => aliasesIn(entry).includes(name))?.order
}

/** The session that continues this one's log, according to the log. */
export function promotedTo({ cold }: Pick<SessionRows, 'cold'>): string | undefined {
  return fieldOf<string>(cold, 'promotedTo')
}

function isOwnable(name: string): boolean {
  return name === goTrim(name) && ownableAliases([name]).length === 1
}
