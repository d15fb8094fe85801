import type { StoredDraft } from '../../../contract/backend.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { Engine } from '../engine.ts'

/** Where there are no Web Locks, an owner that has journalled nothing for so long is taken for dead; a stream there gives a sign of life much more often. */
export const silenceMs = 180_000

/** Tells drafts of the living from those of the dead. */
export interface DraftOwners {
  isAlive(draft: StoredDraft): Promise<boolean>
  /** @throws AccessDenied when somebody else, who lives, streams it */
  refuseForeign(draft: StoredDraft | undefined): Promise<void>
}

export function createDraftOwners({ owner, isOwnerAlive, now }: Pick<Engine, 'owner' | 'isOwnerAlive' | 'now'>): DraftOwners {
  /** What belongs to nobody was opened by a store that shares its place with no other. */
  const isOwn = ({ row }: StoredDraft): boolean => row.owner === undefined || row.owner === owner

  async function isAlive(draft: StoredDraft): Promise<boolean> {
    const { row, chunks } = draft
    if (isOwn(draft)) return true
    const answer = await isOwnerAlive(row.owner!)
    return answer ?? now() - Math.max(row.startedAt, chunks.at(-1)?.chunk.at ?? 0) < silenceMs
  }

  return {
    isAlive,
    refuseForeign: async (draft) => {
      if (draft === undefined || isOwn(draft) || !(await isAlive(draft))) return
      throw new SessionError('AccessDenied', `Draft "${draft.row.id}" is being streamed by another tab: only that one writes, seals or drops it.`)
    },
  }
}
