import { isSessionError } from '../contract/errors.ts'
import type { SearchService } from './create-search-service.ts'
import type { AnswerMessage, AskMessage } from './search-messages.ts'

/** How often the keeper announces that it still works on a question. */
const signOfLifeMs = 300

export interface AnswererParts {
  readonly say: (message: AnswerMessage) => void
  readonly search: SearchService['search']
  /** Leaves the index to another tab. */
  readonly resign: () => void
  /** Aborted when this tab closes. */
  readonly signal: AbortSignal
}

/** Answers the searches of other tabs, as the keeper of the index. */
export function createAnswerer({
  say,
  search,
  resign,
  signal,
}: AnswererParts): (question: AskMessage) => Promise<void> {
  return async ({ from: to, id, request }) => {
    const sendSign = (): void => say({ keepsession: 'searching', to, id })
    sendSign()
    const signs = setInterval(sendSign, signOfLifeMs)
    try {
      say({
        keepsession: 'hits',
        to,
        id,
        hits: await search(request, (progress) => say({ keepsession: 'searching', to, id, progress })),
      })
    } catch (error) {
      // The search failed because this tab closes. The next keeper is asked.
      if (signal.aborted) return
      // Newer code has upgraded the database, or it was lost and made anew. A tab that can't read it can't keep its
      // index, and the next keeper is asked.
      if (isSessionError(error, 'VersionConflict') || isSessionError(error, 'DataLoss')) return resign()
      const { name, message } = error as Error
      say({ keepsession: 'error', to, id, error: { name, message } })
    } finally {
      clearInterval(signs)
    }
  }
}
