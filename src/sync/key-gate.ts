import type { KeyMarks } from './index-codec.ts'
import type { KeyCheck } from './key-check.ts'
import type { Protection } from './protection.ts'

export interface KeyGateOptions {
  readonly look: Protection['check']
  /** What the list says about keys. */
  readonly marks: () => KeyMarks
  /** Whether these keys were the right ones last time. */
  readonly isRemembered: boolean
  /** Whether no more checks are needed. */
  readonly isOver: () => boolean
  readonly onFound: (found: KeyCheck) => Promise<void> | void
}

/** How our keys stand among those of the others. This is known before anything is sent. */
export interface KeyGate {
  /** The result of the last check. */
  found(): KeyCheck | undefined
  /** Whether that result is about what the list says now. */
  isCurrent(): boolean
  /** Whether our keys are right according to what the list says now. */
  isOpen(): boolean
  /** Whether the list may be written to: with the right key, and offline with one that was right last time. */
  mayPublish(): boolean
  /** The record of our key, which has to be in the list before anything else of ours. */
  record(): Uint8Array | undefined
  /** Checks how our keys stand. Never rejects. */
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
    mayPublish: () => (last === undefined ? isRemembered : last.isRight && last.record === undefined),
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
