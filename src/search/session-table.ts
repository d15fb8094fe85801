import type { SessionState } from './session-state.ts'

/** The sessions of an index, by key and by local number. A search looks up those of its hits, and goes over none. */
export class SessionTable {
  readonly #byKey = new Map<string, SessionState>()
  readonly #byNumber = new Map<number, SessionState>()

  get(key: string): SessionState | undefined {
    return this.#byKey.get(key)
  }

  numbered(number: number): SessionState | undefined {
    return this.#byNumber.get(number)
  }

  keys(): Iterable<string> {
    return this.#byKey.keys()
  }

  set(state: SessionState): void {
    this.delete(state.key)
    this.#byKey.set(state.key, state)
    this.#byNumber.set(state.number, state)
  }

  delete(key: string): void {
    const before = this.#byKey.get(key)
    if (before === undefined) return
    this.#byKey.delete(key)
    if (this.#byNumber.get(before.number) === before) this.#byNumber.delete(before.number)
  }
}
