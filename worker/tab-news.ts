import type { StoreChange } from '../src/contract/change.ts'
import type { FoldQueue } from '../src/mirror/fold-queue.ts'

/** What other tabs are to hear of, each change once they find it in the database. */
export interface TabNews {
  /**
   * Changes that were just made, and are about to be answered. What the database has is sent at once, so that a tab that
   * is closed right after the answer leaves no other tab behind; everything else is sent after the answer.
   */
  add(changes: readonly StoreChange[]): void
  /** From now on the database is behind this journal. */
  follow(journal: JournalProgress): void
  /** Sends what the database has by now. What it has not is told by the worker that stores it. */
  close(): void
}

/** How far the database has what was answered. */
type JournalProgress = Pick<FoldQueue, 'answers' | 'missing' | 'some' | 'nextFold'>

export function createTabNews(post: (change: StoreChange) => void): TabNews {
  /** In the order of their making. `answer`: the last answer that was given by then. */
  let held: { readonly change: StoreChange; readonly answer: number }[] = []
  let journal: JournalProgress | undefined
  let isSending = false
  let isWaiting = false

  function send(): void {
    const missing = journal?.missing()
    held = held.filter(({ change, answer }) => {
      const first = 'key' in change ? missing?.get(change.key) : undefined
      if (first !== undefined && first <= answer) return true
      post(change)
      return false
    })
  }

  async function sendAfterFold(following: JournalProgress): Promise<void> {
    isWaiting = true
    while (held.length > 0) {
      await following.nextFold()
      send()
    }
    isWaiting = false
  }

  return {
    add: (changes) => {
      if (changes.length === 0) return
      const answer = journal?.answers() ?? 0
      for (const change of changes) held.push({ change, answer })
      if (!isSending)
        setTimeout(() => {
          isSending = false
          send()
          if (held.length > 0 && !isWaiting && journal !== undefined) void sendAfterFold(journal)
        })
      isSending = true
      // A message to other processes takes as long as planning an append: too long for an answer from the journal and
      // for a token of a stream, and little beside a transaction.
      const isHeldBack = (key: string) => journal?.some(({ answered }) => answered.key === key)
      if (changes.some((change) => change.type !== 'draft' && !('key' in change && isHeldBack(change.key)))) send()
    },
    follow: (given) => {
      journal = given
    },
    close: send,
  }
}
