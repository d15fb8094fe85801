import format1 from '../../fixtures/formats/format-1.json' with { type: 'json' }
import format2 from '../../fixtures/formats/format-2.json' with { type: 'json' }
import type { DatabaseDump } from './database-dump.ts'

/** A database as the code of a format wrote it, and what that code told of it. */
export interface FormatFixture {
  readonly format: number
  readonly database: DatabaseDump
  readonly readings: unknown
}

/** All formats before today's. */
export const fixtures: readonly FormatFixture[] = [
  { format: 1, ...(format1 as unknown as Omit<FormatFixture, 'format'>) },
  { format: 2, ...(format2 as unknown as Omit<FormatFixture, 'format'>) },
]
