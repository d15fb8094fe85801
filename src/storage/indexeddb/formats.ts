import { countReferences } from './count-references.ts'
import { storesOfFormats } from './schema.ts'
import type { UpgradeStep } from './upgrade-step.ts'

/** One format of a database. */
export interface Format {
  /** Stores that the one before did not have, in Dexie's notation. */
  readonly stores: Readonly<Record<string, string>>
  /** Makes its data of the data of the one before. */
  readonly upgrade?: UpgradeStep
}

/** All formats there ever were, the newest last. A change of stores or data is one more, with a fixture of the one before it. */
export const formats: readonly Format[] = [
  { stores: storesOfFormats[0] },
  { stores: storesOfFormats[1], upgrade: countReferences },
]
