import type { CoreBackend } from '../../contract/backend.ts'
import { goTrim } from '../../domain/identity/go-text.ts'
import { mainKeyOf } from '../../domain/identity/main-key-of.ts'

/** Who owns each alias, as far as anybody does. */
export type Owners = ReadonlyMap<string, string>

/** Trimmed, distinct, without blank ones (PicoClaw's rule). */
export function cleanAliases(aliases: readonly string[]): string[] {
  return [...new Set(aliases.map((alias) => goTrim(alias)))].filter((alias) => alias !== '')
}

/**
 * The aliases of a list that can have an owner: all but the names of main sessions, readable and opaque. Every session of an agent lists
 * those, and they lead to the main session alone.
 */
export function ownableAliases(aliases: readonly string[]): string[] {
  const mainKeys = new Set(['agent:main:main', ...aliases].map(mainKeyOf))
  return aliases.filter((alias) => mainKeyOf(alias) === undefined && !mainKeys.has(alias))
}

export async function findOwners(backend: CoreBackend, aliases: readonly string[]): Promise<Owners> {
  const owners = await Promise.all(aliases.map(async (alias) => [alias, await backend.findAlias(alias)] as const))
  return new Map(owners.filter((pair): pair is [string, string] => pair[1] !== undefined))
}
