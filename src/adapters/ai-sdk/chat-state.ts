import type { Session } from '../../client/session-contract.ts'
import { createFileUrls, type FileUrls } from '../file-urls.ts'

/** What a tab knows of a chat: shared by all that was made for one handle. */
export interface ChatState {
  /** The line that the chat shows; absent before it was loaded: the head. */
  line?: string
  readonly files: FileUrls
  /** Where the loaded messages are that have no id of a host, by the ids that the chat has for them. */
  places: ReadonlyMap<string, EntryPlace>
}

export interface EntryPlace {
  readonly branch: string
  readonly order: string
}

const states = new WeakMap<Session<object>, ChatState>()

export function chatStateOf(session: Session<object>): ChatState {
  const known = states.get(session) ?? { files: createFileUrls(session.store), places: new Map() }
  states.set(session, known)
  return known
}
