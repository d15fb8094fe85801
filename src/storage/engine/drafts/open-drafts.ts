import type { DraftRow } from '../../../contract/draft-row.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { HotRow } from '../../../contract/rows.ts'

/** Drafts that were opened or looked up here, with where they are. A write to them needs no read. */
export interface OpenDrafts {
  /** @param next - the number of its next write */
  add(row: DraftRow, next: number): void
  /** Whether it is in this session. Another one may have its key by now. */
  isIn(draft: string, hot: HotRow): boolean
  /** Notes a write. @returns whether it is the first one of its number */
  wrote(draft: string, n: number): boolean
  remove(draft: string): void
  /** Why a draft is not in this session. */
  whyNot(draft: string, hot: HotRow): SessionError
}

export function createOpenDrafts(): OpenDrafts {
  const open = new Map<string, Pick<DraftRow, 'session' | 'version'> & { readonly next: number }>()
  const isIn: OpenDrafts['isIn'] = (draft, { session, restarted = 0 }) => {
    const known = open.get(draft)
    return known?.session === session && known.version >= restarted
  }
  return {
    add: ({ id, session, version }, next) => void open.set(id, { session, version, next }),
    isIn,
    wrote: (draft, n) => {
      const known = open.get(draft)
      if (known === undefined) return true
      if (n < known.next) return false
      open.set(draft, { ...known, next: n + 1 })
      return true
    },
    remove: (draft) => void open.delete(draft),
    whyNot: (draft, hot) =>
      open.has(draft) && !isIn(draft, hot)
        ? new SessionError(
            'SessionNotFound',
            `The session of draft "${draft}" was deleted. Under its key "${hot.key}" is another one by now.`,
          )
        : endedDraft(draft),
  }
}

export function endedDraft(draft: string): SessionError {
  return new SessionError('InvalidInput', `Draft "${draft}" has ended or never was. openDraft() starts a new one.`)
}
