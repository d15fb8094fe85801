import type { ElementCodec } from './element-codec.ts'
import { readWireEntry, toWireEntry } from './wire-entry.ts'

/** Entries in the clear. */
export const plainElements: ElementCodec = {
  write: (entry) => toWireEntry(entry),
  read: (w, s, content) => readWireEntry(w, s, content),
}
