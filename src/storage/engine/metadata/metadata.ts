import type { CoreBackend } from '../../../contract/backend.ts'
import { anyObject, onlyFields, optional } from '../../../contract/check.ts'
import { checkMetaPatch } from '../../../contract/check-meta-patch.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { MetaPatch, SessionMeta } from '../../../contract/meta.ts'
import type { SessionScope } from '../../../contract/scope.ts'
import { checkScope } from '../../../contract/scope-check.ts'
import type { EnsureMetadataResult, MetaOptions } from '../../../contract/store/session-metadata.ts'
import type { WriteOptions } from '../../../contract/store/write-options.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import { laterClock } from '../../../domain/clock.ts'
import { given } from '../../../domain/given.ts'
import { pushAll } from '../../../domain/push-all.ts'
import { refuseAnother, refuseDeleted, restartDeleted } from '../lifecycle/lifecycle.ts'
import type { Claim, Owners } from '../names/alias-owners.ts'
import { cleanAliases, findOwners, ownableAliases, prepareClaim } from '../names/alias-owners.ts'
import { checkDurability, checkObject, checkShape, operationOf } from '../writing/input.ts'
import type { Mutation } from '../writing/mutation.ts'
import type { Plan } from '../writing/plan.ts'
import { planControl } from '../writing/plan.ts'
import { aliasesOf, fieldOf, metaOf } from './stored-meta.ts'

const checkPrevious = onlyFields({
  memo: optional(anyObject),
  custom: optional(anyObject),
  contextState: optional(anyObject),
})

/** Changes metadata fields. A field that is `null` is unset. @throws AliasConflict */
export function updateMetaMutation(
  backend: CoreBackend,
  patch: MetaPatch,
  options?: MetaOptions,
): Mutation<Owners, SessionMeta> {
  const value = checkObject(patch, 'patch')
  checkShape(checkMetaPatch, value, 'patch')
  const previous = checkObject(options?.previous ?? {}, 'previous')
  checkShape(checkPrevious, previous, 'previous')
  const asked = value['aliases'] as string[] | undefined
  return {
    durability: checkDurability(options) ?? 'strict',
    operation: operationOf(options, 'updateMeta', value),
    needs: () => asked !== undefined && asked.length > 0,
    prepare: () => findOwners(backend, ownableAliases(cleanAliases(asked ?? []))),
    plan: (plan, owners) => {
      refuseDeleted(plan.work, plan.work.hot.key)
      refuseAnother(plan.work, options?.session)
      for (const [field, before] of Object.entries(previous)) {
        if (canonicalJson(fieldOf<JsonObject>(plan.work.cold, field) ?? {}) !== canonicalJson(before!))
          throw new SessionError(
            'ParentMoved',
            `Its ${field} was changed meanwhile. Read it again and patch the new value.`,
          )
      }
      const set: JsonObject = asked === undefined ? value : { ...value, aliases: replaceAliases(plan, asked, owners) }
      setChanged(plan, set)
      return structuredClone(metaOf(plan.work))
    },
  }
}

/** The checked arguments of `ensureSessionMetadata`. */
export interface CheckedMetadata extends Pick<Mutation<never, never>, 'durability' | 'operation'> {
  readonly aliases: readonly string[]
  readonly scope: JsonObject | undefined
}

/** @throws InvalidInput */
export function checkMetadata(
  scope: SessionScope | undefined,
  aliases: readonly string[],
  options?: WriteOptions,
): CheckedMetadata {
  if (!Array.isArray(aliases) || aliases.some((alias) => typeof alias !== 'string'))
    throw new SessionError('InvalidInput', 'aliases must be a list of strings.')
  const value = checkObject({ scope: scope ?? undefined, aliases: [...aliases] }, 'metadata')
  if (value['scope'] !== undefined) checkShape(checkScope, value['scope'], 'scope')
  return {
    aliases: cleanAliases(value['aliases'] as string[]),
    scope: value['scope'] as JsonObject | undefined,
    durability: checkDurability(options) ?? 'relaxed',
    operation: operationOf(options, 'ensureSessionMetadata', value),
  }
}

/** PicoClaw's `EnsureSessionMetadata`: keeps existing metadata and adds the scope and the aliases. */
export function ensureMetadataMutation(
  backend: CoreBackend,
  { aliases, scope, durability, operation }: CheckedMetadata,
): Mutation<Claim, EnsureMetadataResult> {
  return {
    durability,
    operation,
    needs: () => aliases.length > 0,
    prepare: (rows) => prepareClaim(backend, rows, aliases),
    plan: (plan, claim) => {
      restartDeleted(plan)
      return { key: plan.work.hot.key, conflicts: planMetadata(plan, aliases, scope, claim) }
    },
  }
}

/** Adds aliases and sets the scope. @returns the aliases that belong to other sessions */
export function planMetadata(
  plan: Plan,
  aliases: readonly string[],
  scope: JsonObject | undefined,
  { owners, after }: Partial<Claim> = {},
): string[] {
  const { hot, cold } = plan.work
  const { key, clock } = hot
  const added = aliases.filter((alias) => alias !== key)
  const now = aliasesOf(cold)
  if (after && added.some((alias) => !now.includes(alias))) hot.clock = laterClock(clock, after)
  takeFree(plan, added, owners)
  const all = [...new Set([...now, ...added])].filter((alias) => alias !== key)
  setChanged(plan, given({ aliases: all.length > 0 ? all : undefined, scope }))
  return added.filter((alias) => (owners?.get(alias) ?? key) !== key)
}

/** Gives the session those of the aliases that have no owner yet. The first owner of an alias keeps it. */
export function takeFree(plan: Plan, aliases: readonly string[], owners: Owners | undefined): void {
  pushAll(
    plan.addAliases,
    ownableAliases(aliases).filter((alias) => owners?.get(alias) === undefined),
  )
}

/** Writes the fields that differ, and creates the session even when none does. */
function setChanged(plan: Plan, set: JsonObject): void {
  const changed = Object.entries(set).filter(
    ([field, value]) =>
      canonicalJson(plan.work.cold.fields[field]?.[1] ?? null) !== canonicalJson((value ?? null) as JsonValue),
  )
  if (changed.length > 0 || plan.base.hot.version === 0)
    planControl(plan, 'meta', { set: Object.fromEntries(changed) }, '')
}

/**
 * An alias of another session can't be added. One that is already in the list stays, so that a list which was read can
 * be written again.
 */
function replaceAliases(plan: Plan, asked: readonly string[], owners: Owners | undefined): string[] {
  const { key } = plan.work.hot
  const now = new Set(aliasesOf(plan.work.cold))
  const next = cleanAliases(asked).filter((alias) => alias !== key)
  for (const alias of next) {
    const owner = owners?.get(alias)
    if (owner !== undefined && owner !== key && !now.has(alias))
      throw new SessionError(
        'AliasConflict',
        `Alias "${alias}" belongs to session "${owner}". Remove it there first, or choose another.`,
      )
  }
  takeFree(plan, next, owners)
  pushAll(
    plan.dropAliases,
    [...now].filter((alias) => !next.includes(alias)),
  )
  return next
}
