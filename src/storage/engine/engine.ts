import type { CoreBackend } from '../../contract/backend.ts'
import type { ChangeSink } from '../../contract/change.ts'
import type { SessionList } from './metadata/session-list.ts'
import type { KeyResolver } from './names/key-resolver.ts'
import type { SessionWriter } from './writing/session-writer.ts'

/** The parts that the store's methods share. */
export interface Engine {
  readonly backend: CoreBackend
  readonly writer: SessionWriter
  readonly list: SessionList
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly onChange: ChangeSink
  readonly names: KeyResolver
  /** The canonical key of a key or alias. An unknown one is returned as it is. */
  readonly resolveKey: (keyOrAlias: string) => Promise<string>
  readonly newId: () => string
  readonly owner: string | undefined
  readonly isOwnerAlive: (owner: string) => Promise<boolean | undefined>
  readonly onOwnerGone: ((owner: string, act: () => void) => () => void) | undefined
  /** Whether the store follows what other stores on this database do. */
  readonly isFollowed: boolean
}
