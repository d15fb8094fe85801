import type { CoreBackend } from '../../contract/backend.ts'
import { checkMetaPatch } from '../../contract/check-meta-patch.ts'
import { checkScope } from '../../contract/check-scope.ts'
import { SessionError } from '../../contract/errors.ts'
import type { JsonObject, JsonValue } from '../../contract/json.ts'
import type { MetaPatch, SessionMeta } from '../../contract/meta.ts'
import type { SessionScope } from '../../contract/scope.ts'
import type { EnsureMetadataResult, WriteOptions } from '../../contract/store.ts'
import { canonicalJson } from '../../domain/canonical-json.ts'
import { checkDurability, checkObject, checkShape, operationOf } from './input.ts'
import { refuseDeleted, restartDeleted } from './lifecycle.ts'
import type { Plan } from './plan.ts'
import { planControl } from './plan.ts'
import { aliasesOf, metaOf } from './session-meta.ts'
import type { Mutation } from './session-writer.ts'

/** Who owns each alias, as far as anybody does. */
type Owners = ReadonlyMap<string, string>

/** Changes metadata fields. A field that is `null` is unset. @throws AliasConflict */
export function updateMetaMutation(backend: CoreBackend, patch: MetaPatch, options?: WriteOptions): Mutation<Owners, SessionMeta> {
  const value = checkObject(patch, 'patch')
  checkShape(checkMetaPatch, value, 'patch')
  const asked = value['aliases'] as string[] | undefined
  return {
    durability: checkDurability(options) ?? 'strict',
    operation: operationOf(options, 'updateMeta', value),
    needs: () => asked !== undefined && asked.length > 0,
    prepare: () => findOwners(backend, asked ?? []),
    plan: (plan, owners) => {
      const { key } = plan.work.hot
      refuseDeleted(plan.work, key)
      const set: JsonObject = asked === undefined ? value : { ...value, aliases: replaceAliases(plan, asked, owners) }
      setChanged(plan, set)
      return structuredClone(metaOf(plan.work))
    },
  }
}

/** PicoClaw's `EnsureSessionMetadata`: keeps what is there and adds the scope and the aliases. */
export function ensureMetadataMutation(backend: CoreBackend, scope: SessionScope | undefined, aliases: readonly string[], options?: WriteOptions): Mutation<Owners, EnsureMetadataResult> {
  if (!Array.isArray(aliases) || aliases.some((alias) => typeof alias !== 'string')) throw new SessionError('InvalidInput', 'aliases must be a list of texts.')
  const value = checkObject({ scope: scope ?? undefined, aliases: [...aliases] }, 'metadata')
  if (value['scope'] !== undefined) checkShape(checkScope, value['scope'], 'scope')
  const asked = cleanAliases(value['aliases'] as string[])
  return {
    durability: checkDurability(options) ?? 'relaxed',
    operation: operationOf(options, 'ensureSessionMetadata', value),
    needs: () => asked.length > 0,
    prepare: () => findOwners(backend, asked),
    plan: (plan, owners) => {
      restartDeleted(plan)
      const { key } = plan.work.hot
      const added = asked.filter((alias) => alias !== key)
      const conflicts = added.filter((alias) => (owners?.get(alias) ?? key) !== key)
      plan.addAliases.push(...added.filter((alias) => owners?.get(alias) === undefined))
      const all = [...new Set([...aliasesOf(plan.work.cold), ...added])]
      setChanged(plan, { ...(all.length > 0 ? { aliases: all } : {}), ...(value['scope'] === undefined ? {} : { scope: value['scope'] }) })
      return { key, conflicts }
    },
  }
}

/** Writes the fields that differ; creates the session even when none does. */
function setChanged(plan: Plan, set: JsonObject): void {
  const changed = Object.entries(set).filter(([field, value]) => canonicalJson(plan.work.cold.fields[field]?.[1] ?? null) !== canonicalJson((value ?? null) as JsonValue))
  if (changed.length > 0 || plan.base.hot.version === 0) planControl(plan, 'meta', { set: Object.fromEntries(changed) }, '')
}

function replaceAliases(plan: Plan, asked: readonly string[], owners: Owners | undefined): string[] {
  const { key } = plan.work.hot
  const next = cleanAliases(asked).filter((alias) => alias !== key)
  for (const alias of next) {
    const owner = owners?.get(alias)
    if (owner !== undefined && owner !== key) throw new SessionError('AliasConflict', `Alias "${alias}" belongs to session "${owner}". Take it from there first, or choose another.`)
  }
  const now = new Set(aliasesOf(plan.work.cold))
  plan.addAliases.push(...next.filter((alias) => owners?.get(alias) === undefined))
  plan.dropAliases.push(...[...now].filter((alias) => !next.includes(alias)))
  return next
}

/** Trimmed, distinct, without empty ones (PicoClaw's rule). */
function cleanAliases(aliases: readonly string[]): string[] {
  return [...new Set(aliases.map((alias) => alias.trim()).filter((alias) => alias !== ''))]
}

async function findOwners(backend: CoreBackend, aliases: readonly string[]): Promise<Owners> {
  const owners = new Map<string, string>()
  await Promise.all(
    cleanAliases(aliases).map(async (alias) => {
      const owner = await backend.findAlias(alias)
      if (owner !== undefined) owners.set(alias, owner)
    }),
  )
  return owners
}
