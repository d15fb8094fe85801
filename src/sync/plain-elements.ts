import type { ElementCodec } from './element-codec.ts'
import { readWireEntry, toWireEntry } from './wire-entry.ts'

/** Entries as they are. */
export const plainElements: ElementCodec = { write: toWireEntry, read: readWireEntry }
