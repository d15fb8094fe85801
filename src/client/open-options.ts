import type { StoreChange } from '../contract/change.ts'
import type { Encryption } from '../contract/encryption.ts'
import type { Message } from '../contract/message.ts'
import type { RoutingConfig } from '../contract/message-identity.ts'
import type { RetentionPolicy } from './retention/retention-policy.ts'
import type { MessageSchema } from './session/check-by-schema.ts'

/** Where a store lives, best first. */
export type StoreMode = 'worker' | 'inline-worker' | 'in-page' | 'web-storage' | 'memory'

export interface OpenOptions<M extends object = Message> {
  /** Name of the database; stores with the same name share their sessions. Default `keepsession`. */
  readonly name?: string
  /**
   * A function that creates the worker (Trusted Types, custom hosting), or a worker of your own, which is never
   * terminated and can't be restarted when it dies. It must run `keepsession/worker`.
   */
  readonly worker?: Worker | (() => Worker)
  /**
   * Whether everything is also written to files of the origin (OPFS), from which a database that the browser lost is
   * refilled. Default true; only workers can write them, and not in every browser: `upkeep.health()` reports it.
   */
  readonly mirror?: boolean
  /**
   * Isolates the sessions of one user from those of others on the same browser profile, in a database, mirror and
   * search index of their own. New sessions get it as their `userId`. Closing the store
   * shuts them away, unencrypted; `deleteSessionStore` removes them.
   */
  readonly userId?: string
  /**
   * Encrypts what is stored, with a key or a passphrase that is needed to open it again. What was stored plain before
   * is encrypted once the store is open. Sessions are then kept in IndexedDB only, or in memory. docs/encryption.md
   * says what it protects against, and what it does not.
   */
  readonly encryption?: Encryption
  /** Which modes may be used, in this order. Default: all. */
  readonly modes?: readonly StoreMode[]
  /**
   * How long each mode may take to open, once its code is loaded, in milliseconds. Default 4,000; 20,000 where `modes`
   * names one only, because there is no other to go on with.
   */
  readonly timeoutMs?: number
  /**
   * Called with every change, from this tab and the others. The same as `subscribe` right after opening, but misses
   * nothing.
   */
  readonly onChange?: (change: StoreChange) => void
  /**
   * Which agent a message goes to, and what its sessions are separated by: PicoClaw's config.json, or the parts of it
   * named here. Default: agent `main`, one session for each chat. A mistake in it is refused (InvalidInput) before
   * anything is opened.
   */
  readonly routing?: RoutingConfig
  /**
   * Limits that are enforced automatically: some seconds after opening, and then every few hours. The notice `retained`
   * reports what was done.
   */
  readonly retention?: RetentionPolicy
  /**
   * A Standard Schema (zod, valibot, arktype, …) that every message must pass before it is written. What is stored is
   * the message as you passed it; the schema's own output is not used. A message that fails is refused (InvalidInput)
   * and nothing is written.
   */
  readonly schema?: MessageSchema<M>
}
