import type { StoredDraft } from '../../../contract/backend.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { Engine } from '../engine.ts'

/**
 * Without Web Locks, an owner that has written nothing for this long counts as dead. A stream gives signs of life much
 * more often there.
 */
const silenceMs = 180_000

/** Distinguishes drafts of living owners from those of dead ones. */
export interface DraftOwners {
  isAlive(draft: StoredDraft): Promise<boolean>
  /** @throws AccessDenied when another living owner streams it */
  refuseForeign(draft: StoredDraft | undefined): Promise<void>
}

export function createDraftOwners({
  owner,
  isOwnerAlive,
  now,
}: Pick<Engine, 'owner' | 'isOwnerAlive' | 'now'>): DraftOwners {
  /** A draft without an owner was opened by a store that shares its database with no other. */
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
      throw new SessionError(
        'AccessDenied',
        `Draft "${draft.row.id}" is being streamed by another tab: only that one writes, seals or drops it.`,
      )
    },
  }
}
