import type { KeyMarks } from './index-document.ts'
import type { KeyCheck } from './key-check.ts'
import type { Protection } from './protection.ts'

export interface KeyGateOptions {
  readonly look: Protection['check']
  /** What the list says of keys. */
  readonly marks: () => KeyMarks
  /** Whether these keys were the right ones last time. */
  readonly isRemembered: boolean
  /** Whether nothing is to be looked at any more. */
  readonly isOver: () => boolean
  readonly onFound: (found: KeyCheck) => Promise<void> | void
}

/** How our keys stand with those of the others, which is known before anything is sent. */
export interface KeyGate {
  /** What was found last. */
  found(): KeyCheck | undefined
  /** Whether that is of what the list says of keys now. */
  isCurrent(): boolean
  /** Whether our keys are right by what the list says now. */
  isOpen(): boolean
  /** Whether the list may be written to: with the right key, and offline with one that was the right one last time. */
  mayTell(): boolean
  /** Says which key is used: it is to be in the list before anything else of ours. */
  record(): Uint8Array | undefined
  /** Looks how our keys stand. Never rejects. */
  check(): Promise<void>
}

export function createKeyGate({ look, marks, isRemembered, isOver, onFound }: KeyGateOptions): KeyGate {
  let last: KeyCheck | undefined
  let checked: KeyMarks | undefined
  const isCurrent = (): boolean => checked === marks()
  const record = (): Uint8Array | undefined => (last?.isRight === true ? last.record : undefined)
  return {
    found: () => last,
    isCurrent,
    isOpen: () => isCurrent() && last?.isRight === true,
    mayTell: () => (last === undefined ? isRemembered : last.isRight && last.record === undefined),
    record,
    check: async () => {
      while (!isOver() && !isCurrent()) {
        const looked = marks()
        const found = await look(looked).catch((error: Error): KeyCheck => ({ isRight: false, message: error.message }))
        if (looked !== marks()) continue
        checked = looked
        last = found
        await onFound(found)
      }
    },
  }
}
