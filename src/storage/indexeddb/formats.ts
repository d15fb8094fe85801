import { countReferences } from './count-references.ts'
import { storesOfFormats } from './schema.ts'
import type { UpgradeStep } from './upgrade-step.ts'

/** One format of a database. */
export interface Format {
  /** Stores that the format before did not have, in Dexie's notation. */
  readonly stores: Readonly<Record<string, string>>
  /** Converts the data of the format before. */
  readonly upgrade?: UpgradeStep
}

/** All formats so far, the newest last. A change of stores or data adds one, with a fixture of the format before it. */
export const formats: readonly Format[] = [
  { stores: storesOfFormats[0] },
  { stores: storesOfFormats[1], upgrade: countReferences },
  { stores: storesOfFormats[2] },
]
