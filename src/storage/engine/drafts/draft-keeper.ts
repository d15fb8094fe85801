import type { StoredDraft } from '../../../contract/backend.ts'
import type { DraftChange } from '../../../contract/change.ts'
import { isSessionError } from '../../../contract/errors.ts'
import type { Engine } from '../engine.ts'
import { createDraftOwners, type DraftOwners } from './draft-owners.ts'
import { draftView, isLive, nextWrite } from './draft-view.ts'
import { eraseEarlierMutation } from './drafts.ts'
import { createOpenDrafts, type OpenDrafts } from './open-drafts.ts'
import { forgetDraftMutation, interruption, sealDraftMutation } from './seal-draft.ts'

/** Manages the drafts of a database. Drafts whose owner died become entries. */
export interface DraftKeeper extends DraftOwners {
  readonly open: OpenDrafts
  /** Converts a session's abandoned drafts to entries. @returns the other drafts */
  settle(key: string): Promise<readonly StoredDraft[]>
  /**
   * Does the same in all sessions, and watches the owners of the other drafts, so that it is repeated when one of them
   * dies. Never rejects.
   */
  sweep(): Promise<void>
  /** Another tab began a draft, or ended one. */
  noteChange(change: DraftChange): void
  /** A draft has ended here. */
  end(key: string, draft: string): void
  close(): void
}

export function createDraftKeeper(
  engine: Pick<Engine, 'backend' | 'writer' | 'onChange' | 'now' | 'owner' | 'isOwnerAlive' | 'onOwnerGone'>,
): DraftKeeper {
  const { backend, writer, onChange, owner, onOwnerGone } = engine
  const owners = createDraftOwners(engine)
  const open = createOpenDrafts()
  const watched = new Map<string, () => void>()
  let isClosed = false

  function watch(holder: string | undefined): void {
    if (holder === undefined || holder === owner || isClosed || onOwnerGone === undefined || watched.has(holder)) return
    watched.set(
      holder,
      onOwnerGone(holder, () => {
        watched.delete(holder)
        void sweep()
      }),
    )
  }

  function end(key: string, draft: string): void {
    open.remove(draft)
    onChange({ type: 'draft', key, draft })
  }

  /** @returns whether it is over */
  async function interrupt(key: string, stored: StoredDraft): Promise<boolean> {
    const { row, chunks } = stored
    const { id, resumes } = row
    // An entry already shows what the draft resumes.
    const isEmpty = resumes === undefined ? draftView(stored).parts.length === 0 : nextWrite(chunks) <= 1
    try {
      if (isEmpty) await writer.run(key, forgetDraftMutation(id, stored))
      else await writer.run(key, sealDraftMutation(backend, id, undefined, { operationId: interruption(id) }))
      end(key, id)
      return true
    } catch (error) {
      // Another tab did it first, or the session is gone. A draft that can't be stored now stays a draft until the next
      // attempt.
      return isSessionError(error, 'InvalidInput') || isSessionError(error, 'SessionNotFound')
    }
  }

  async function settle(key: string): Promise<readonly StoredDraft[]> {
    const rows = await writer.rows(key)
    if (rows === undefined || rows.hot.deletedAt !== undefined) return []
    const left: StoredDraft[] = []
    const found = await backend.loadDrafts(rows.hot.session)
    const live = found.filter(({ row }) => isLive(row, rows.hot))
    // If this fails, they are erased the next time.
    if (live.length < found.length) await writer.run(key, eraseEarlierMutation(backend)).catch(() => undefined)
    for (const stored of live) {
      if (await owners.isAlive(stored)) watch(stored.row.owner)
      else if (await interrupt(key, stored)) continue
      left.push(stored)
    }
    return left
  }

  async function sweep(): Promise<void> {
    try {
      const keys = new Set((await backend.listDrafts()).map(({ key }) => key))
      // An unreadable session must not affect the others.
      for (const key of keys) await settle(key).catch(() => undefined)
    } catch {
      // They stay drafts until the drafts of their session are listed.
    }
  }

  return {
    ...owners,
    open,
    settle,
    sweep,
    end,
    noteChange: ({ draft, view, added, owner: holder }) => {
      if (view !== undefined) watch(holder)
      else if (added === undefined) open.remove(draft)
    },
    close: () => {
      isClosed = true
      for (const stop of watched.values()) stop()
    },
  }
}
