import { valueLimits } from './normalise.ts'

/**
 * The limits of a whole entry, for those who read one that another store has written: those of the message or other
 * value that it has, and room for what is around that. An edit has a message three levels deep; a vector or an id may
 * take many bytes.
 */
export const entryLimits = { maxDepth: valueLimits.maxDepth + 8, maxBytes: valueLimits.maxBytes + 1024 * 1024 }
