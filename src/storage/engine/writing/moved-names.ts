import type { Plan } from './plan.ts'

/** The aliases that a session gets or gives up with a plan; `undefined` when there are none. */
export function movedNames({ addAliases, dropAliases }: Pick<Plan, 'addAliases' | 'dropAliases'>) {
  const names: readonly string[] = [...addAliases, ...dropAliases]
  return names.length > 0 ? names : undefined
}
