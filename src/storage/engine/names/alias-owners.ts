import type { CoreBackend } from '../../../contract/backend.ts'
import type { Clock } from '../../../contract/entry.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import { clockStart, laterClock } from '../../../domain/clock.ts'
import { goTrim } from '../../../domain/identity/go-text.ts'
import { mainKeyOf } from '../../../domain/identity/main-key-of.ts'
import { aliasesOf } from '../metadata/stored-meta.ts'

/** The owner of each alias that has one. */
export type Owners = ReadonlyMap<string, string>

/** The trimmed and distinct aliases, without blank ones (PicoClaw's rule). */
export function cleanAliases(aliases: readonly string[]): string[] {
  return [...new Set(aliases.map((alias) => goTrim(alias)))].filter((alias) => alias !== '')
}

/**
 * The aliases of a list that can have an owner: all but the readable and opaque names of main sessions. Every session
 * of an agent lists those, and they lead to the main session alone.
 */
export function ownableAliases(aliases: readonly string[]): string[] {
  if (aliases.length === 0) return []
  const mainKeys = new Set(['agent:main:main', ...aliases].map(mainKeyOf))
  return aliases.filter((alias) => mainKeyOf(alias) === undefined && !mainKeys.has(alias))
}

/** The owners of names that a session is about to claim. */
export interface Claim {
  readonly owners: Owners
  /** The latest clock of the sessions that own names which this session has not claimed before. */
  readonly after: Clock
}

/**
 * Finds the owners of names before a session claims them. A session that claims an owned name must sort after its
 * owner: devices decide by the first claim whose a name is, and a clock that was set back must not give it to the later
 * session.
 */
export async function prepareClaim(
  backend: CoreBackend,
  { hot: { key }, cold }: SessionRows,
  aliases: readonly string[],
): Promise<Claim> {
  const owners = await findOwners(backend, ownableAliases(aliases))
  const known = aliasesOf(cold)
  const rows = await Promise.all(
    [...owners].map(([alias, owner]) =>
      owner === key || known.includes(alias) ? undefined : backend.loadSession(owner),
    ),
  )
  return { owners, after: rows.reduce((latest, one) => laterClock(latest, one?.hot.clock ?? clockStart), clockStart) }
}

export async function findOwners(backend: CoreBackend, aliases: readonly string[]): Promise<Owners> {
  const owners = await Promise.all(aliases.map(async (alias) => [alias, await backend.findAlias(alias)] as const))
  return new Map(owners.filter((pair): pair is [string, string] => pair[1] !== undefined))
}
