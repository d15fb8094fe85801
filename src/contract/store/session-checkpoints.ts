import type { JsonObject } from '../json.ts'
import type { BranchInfo, CheckpointInfo } from '../meta.ts'
import type { WriteOptions } from './write-options.ts'

export interface CheckpointOptions extends WriteOptions {
  readonly label?: string
  readonly metadata?: JsonObject
  /** An agent's own state, returned on restore. */
  readonly state?: JsonObject
  /**
   * A deleted session is always refused (SessionNotFound). With `refuse`, so is one that was purged, which otherwise is
   * created again.
   */
  readonly onDeleted?: 'refuse'
}

/**
 * Saved positions of a session. Source: Aixgo
 *
 * - L21 *Checkpoints are whole.* A checkpoint has the checksum of the messages it saw and is restored only while all of
 *   them are stored unchanged, apart from edits and removals, and while its own state can be read; otherwise it rejects
 *   with ChecksumMismatch. Restoring reads only the last of these messages; damage to older ones counts once `verify`
 *   and `repair` have found it. Messages that are merged in later never count, nor do messages that were erased on
 *   purpose (`reclaim` of removed ones). Aixgo does not verify the checksum.
 */
export interface Checkpoints {
  /** Saves the position of the head line. */
  checkpoint(key: string, options?: CheckpointOptions): Promise<CheckpointInfo>
  listCheckpoints(key: string): Promise<readonly CheckpointInfo[]>
  /**
   * Shows the line as the checkpoint saw it, on a new branch; returns the agent's state.
   *
   * @throws CheckpointNotFound, ChecksumMismatch (L21)
   */
  restoreCheckpoint(
    key: string,
    checkpoint: string,
    options?: WriteOptions,
  ): Promise<{ readonly branch: BranchInfo; readonly state?: JsonObject }>
  /** Hides a checkpoint; its entry with the state stays until `reclaim`. @throws SessionNotFound, CheckpointNotFound */
  deleteCheckpoint(key: string, checkpoint: string, options?: WriteOptions): Promise<void>
}
