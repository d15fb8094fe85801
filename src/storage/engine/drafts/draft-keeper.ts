import type { StoredDraft } from '../../../contract/backend.ts'
import type { DraftChange } from '../../../contract/change.ts'
import { isSessionError } from '../../../contract/errors.ts'
import { draftView, loadLiveDrafts, nextWrite } from './draft-view.ts'
import { createDraftOwners, type DraftOwners } from './draft-owners.ts'
import type { Engine } from '../engine.ts'
import { forgetDraftMutation, interruption, sealDraftMutation } from './seal-draft.ts'

/** Looks after the drafts of a place: those whose owner has died become entries. */
export interface DraftKeeper extends DraftOwners {
  /** Drafts opened or looked up here, and the number of their next write: a write to them costs no read. */
  readonly open: Map<string, number>
  /** Makes entries of a session's abandoned drafts. @returns the others */
  settle(key: string): Promise<readonly StoredDraft[]>
  /** The same in all sessions; and has what is left watched, so that it is done again when an owner dies. Never rejects. */
  sweep(): Promise<void>
  /** Another tab began a draft, or ended one. */
  hear(change: DraftChange): void
  /** A draft has ended here. */
  end(key: string, draft: string): void
  close(): void
}

export function createDraftKeeper(engine: Pick<Engine, 'backend' | 'writer' | 'onChange' | 'now' | 'owner' | 'isOwnerAlive' | 'onOwnerGone'>): DraftKeeper {
  const { backend, writer, onChange, owner, onOwnerGone } = engine
  const owners = createDraftOwners(engine)
  const open = new Map<string, number>()
  const watched = new Map<string, () => void>()
  let isClosed = false

  function watch(holder: string | undefined): void {
    if (holder === undefined || holder === owner || isClosed || onOwnerGone === undefined || watched.has(holder)) return
    watched.set(holder, onOwnerGone(holder, () => {
      watched.delete(holder)
      void sweep()
    }))
  }

  function end(key: string, draft: string): void {
    open.delete(draft)
    onChange({ type: 'draft', key, draft })
  }

  /** @returns whether it is over */
  async function interrupt(key: string, stored: StoredDraft): Promise<boolean> {
    const { row, chunks } = stored
    const { id, resumes } = row
    // Of what it resumes, an entry tells already.
    const isEmpty = resumes === undefined ? draftView(stored).parts.length === 0 : nextWrite(chunks) <= 1
    try {
      if (isEmpty) await writer.run(key, forgetDraftMutation(id, row))
      else await writer.run(key, sealDraftMutation(backend, id, undefined, { operationId: interruption(id) }))
      end(key, id)
      return true
    } catch (error) {
      // Another tab was faster, or the session is gone. What can't be stored now stays a draft, and is tried again.
      return isSessionError(error, 'InvalidInput') || isSessionError(error, 'SessionNotFound')
    }
  }

  async function settle(key: string): Promise<readonly StoredDraft[]> {
    const rows = await writer.rows(key)
    if (rows === undefined || rows.hot.deletedAt !== undefined) return []
    const left: StoredDraft[] = []
    for (const stored of await loadLiveDrafts(backend, rows)) {
      if (await owners.isAlive(stored)) watch(stored.row.owner)
      else if (await interrupt(key, stored)) continue
      left.push(stored)
    }
    return left
  }

  async function sweep(): Promise<void> {
    try {
      const keys = new Set((await backend.listDrafts()).map(({ key }) => key))
      // One session that can't be read must not cost the others.
      for (const key of keys) await settle(key).catch(() => undefined)
    } catch {
      // They stay drafts: whoever lists those of a session settles them then.
    }
  }

  return {
    ...owners, open, settle, sweep, end,
    hear: ({ draft, view, added, owner: holder }) => {
      if (view !== undefined) watch(holder)
      else if (added === undefined) open.delete(draft)
    },
    close: () => {
      isClosed = true
      for (const stop of watched.values()) stop()
    },
  }
}
