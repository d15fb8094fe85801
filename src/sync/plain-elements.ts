import type { ElementCodec } from './element-codec.ts'
import { readWireTuple, toWireTuple } from './wire-tuple.ts'

/** Entries as they are. */
export const plainElements: ElementCodec = { write: toWireTuple, read: readWireTuple }
