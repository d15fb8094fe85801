// biome-ignore-all lint/suspicious/noExplicitAny: the types are those of y-protocols.
// biome-ignore-all lint/complexity/noBannedTypes: the types are those of y-protocols.
import type { Doc } from 'yjs'

/**
 * Who has a document open: has the members of y-protocols' `Awareness`, so that its functions accept it. Declared here
 * because apps that sync need not have y-protocols, and a declaration that imports it would not compile there.
 */
export interface LinkAwareness {
  doc: Doc
  /** Identifies this side's own state. */
  clientID: number
  /** The state of each client that is here, by client id. */
  states: Map<number, Record<string, any>>
  /** For each client that was ever seen: its clock, and when it was last seen, in milliseconds since 1970. */
  meta: Map<number, { clock: number; lastUpdated: number }>
  _checkInterval: any
  _observers: Map<string, any>
  getLocalState(): Record<string, any> | null
  setLocalState(state: Record<string, any> | null): void
  setLocalStateField(field: string, value: any): void
  getStates(): Map<number, Record<string, any>>
  /** `change` and `update`, with `{ added, updated, removed }` (ids of clients) and the origin. */
  on(name: string, listener: Function): void
  once(name: string, listener: Function): void
  off(name: string, listener: Function): void
  emit(name: string, args: any[]): void
  destroy(): void
}
