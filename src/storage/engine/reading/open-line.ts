import { SessionError } from '../../../contract/errors.ts'
import type { ColdRow } from '../../../contract/rows.ts'
import type { Line } from '../../../domain/line.ts'
import { isBranchDeleted, lineOf } from '../../../domain/line.ts'

/** The line that ends in a branch; `undefined` when it can't be resolved or the branch was deleted. */
export function findLine(cold: ColdRow, branch: string): Line | undefined {
  return branch !== '' && isBranchDeleted(cold, branch) ? undefined : lineOf(cold, branch)
}

/** @throws InvalidInput when there is no such branch, or it was deleted */
export function openLine(cold: ColdRow, branch: string, key: string): Line {
  const line = findLine(cold, branch)
  if (line === undefined)
    throw new SessionError('InvalidInput', `Session "${key}" has no branch "${branch}". listBranches() names them.`)
  return line
}
