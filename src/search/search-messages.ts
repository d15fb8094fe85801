import type { SearchHit, SearchProgress, SearchRequest } from '../contract/search.ts'
import type { WireError } from '../contract/worker-protocol.ts'

/** A search that a tab asks the keeper of the index for. */
export interface AskMessage {
  readonly keepsession: 'ask'
  readonly from: string
  readonly id: number
  readonly request: SearchRequest
}

/** A message of the keeper to the tab that asked. */
export type AnswerMessage =
  /** The search is running, with the progress of the index that it waits for. */
  | { readonly keepsession: 'searching'; readonly to: string; readonly id: number; readonly progress?: SearchProgress }
  | { readonly keepsession: 'hits'; readonly to: string; readonly id: number; readonly hits: readonly SearchHit[] }
  | { readonly keepsession: 'error'; readonly to: string; readonly id: number; readonly error: WireError }

/** What tabs send each other about their common index. */
export type SearchMessage =
  | AskMessage
  | AnswerMessage
  /** There is a new keeper. Searches that the former one has not answered must be asked again. */
  | { readonly keepsession: 'keeper' }
  | { readonly keepsession: 'recheck' }

/** @returns `undefined` in old browsers, which have no such channels, and in opaque origins, which refuse them */
export function openSearchChannel(name: string): BroadcastChannel | undefined {
  try {
    const channel: BroadcastChannel & { unref?: () => void } = new BroadcastChannel(name)
    // In Node an open channel would keep the process alive.
    channel.unref?.()
    return channel
  } catch {
    return undefined
  }
}
