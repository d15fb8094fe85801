import type { Doc } from 'yjs'

/**
 * Who has a document open: the `Awareness` of y-protocols, member for member, so that its functions take this one. Spelled out because apps that sync
 * need not have y-protocols, and a declaration that imports it would not compile there.
 */
export interface LinkAwareness {
  doc: Doc
  /** What this side's own state is known by. */
  clientID: number
  /** What each of those who are here says, by the id of its client. */
  states: Map<number, Record<string, any>>
  /** Of each client that was ever heard of: its clock, and when it was heard of last, in milliseconds since 1970. */
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
