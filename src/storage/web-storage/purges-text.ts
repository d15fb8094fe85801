import type { UntoldPurges } from '../unreported-purges.ts'
import type { TextWrite } from './write-texts.ts'

/** Purges that nobody was told of, under `<name>:purges`; without that text nobody asked for them. */
export function createPurgesText(storage: Storage, name: string): { load(): UntoldPurges | undefined; textOf(purges: UntoldPurges | undefined): TextWrite } {
  const key = `${name}:purges`
  return {
    load: () => {
      const text = storage.getItem(key)
      if (text === null) return undefined
      try {
        return new Map(JSON.parse(text) as [])
      } catch {
        // What can't be read tells of no purge.
        return new Map()
      }
    },
    textOf: (purges) => ({ key, text: purges && JSON.stringify([...purges]) }),
  }
}
