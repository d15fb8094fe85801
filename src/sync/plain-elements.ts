import type { ElementCodec } from './element-codec.ts'
import { readWireEntry, toWireEntry } from './wire-entry.ts'

/** Entries as they are. */
export const plainElements: ElementCodec = { write: (entry) => toWireEntry(entry), read: (w, s, content) => readWireEntry(w, s, content) }
