import type { UnreportedPurges } from '../unreported-purges.ts'
import type { TextWrite } from './write-texts.ts'

/** The purges that were not reported yet, as one text. */
export interface PurgesText {
  /** `undefined`: purges were never requested, so that none are remembered. */
  load(): UnreportedPurges | undefined
  textOf(purges: UnreportedPurges | undefined): TextWrite
}

/** The text lies under `<name>:purges`. */
export function createPurgesText(storage: Storage, name: string): PurgesText {
  const key = `${name}:purges`
  return {
    load: () => {
      const text = storage.getItem(key)
      if (text === null) return undefined
      try {
        return new Map(JSON.parse(text) as [])
      } catch {
        // A damaged text names no purges.
        return new Map()
      }
    },
    textOf: (purges) => ({ key, text: purges && JSON.stringify([...purges]) }),
  }
}
