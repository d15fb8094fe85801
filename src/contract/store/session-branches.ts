import type { BranchInfo } from '../meta.ts'
import type { WriteOptions } from './write-options.ts'

export interface BranchOptions extends WriteOptions {
  /** Where the branch forks: after this entry of a line, or `'start'` for an empty line. */
  readonly after: { readonly branch: string; readonly order: string } | 'start'
  /**
   * The branch whose line it continues: it shows exactly what that line shows up to the entry. Default: the head if that
   * shows the entry, otherwise the entry's own branch, otherwise the newest branch that shows it. A call that is
   * repeated by its `operationId` may name another one, because the first call decided.
   */
  readonly line?: string
  readonly name?: string
  /** Whether new turns go to it from now on. Default true. */
  readonly head?: boolean
}

/**
 * The branches of each session.
 *
 * - L11 *Branches* keep each other's history; switching back and forth changes nothing. A new branch shows what the line
 *   that it continues shows up to its fork, also if some of that was restored, or is cut on other lines.
 */
export interface Branches {
  /** Opens a branch (regenerate, edit and resend, explore). @throws SessionNotFound, InvalidInput */
  openBranch(key: string, options: BranchOptions): Promise<BranchInfo>
  listBranches(key: string): Promise<readonly BranchInfo[]>
  /** Names a branch or main. @throws InvalidInput when there is no such branch */
  updateBranch(
    key: string,
    branch: string,
    patch: { readonly name: string | null },
    options?: WriteOptions,
  ): Promise<void>
  /**
   * Hides a branch; its entries stay until `reclaim`. If it was the head, its parent line becomes the head.
   *
   * @throws InvalidInput for main or an unknown branch
   */
  deleteBranch(key: string, branch: string, options?: WriteOptions): Promise<void>
  /** Makes a line the head. @throws InvalidInput when there is no such branch */
  switchBranch(key: string, branch: string, options?: WriteOptions): Promise<void>
}
