import type { DraftPiece, PeerDraft } from './presence-state.ts'

/** How many characters of one reply are kept: its last ones. */
const mostText = 100_000

/**
 * Appends the end of a reply to what was received of it. A state may be lost on its way, which is why pieces overlap.
 * If a piece does not reach back to what is here, the earlier text is dropped, because the two would look like one
 * text.
 */
export function joinPiece(known: PeerDraft | undefined, { id, role, from, text }: DraftPiece): PeerDraft {
  if (known?.id !== id) return { id, role, from, text }
  const reached = known.from + known.text.length
  if (from > reached || from < known.from)
    return from + text.length < reached && from < known.from ? known : { id, role, from, text }
  const joined = known.text.slice(0, from - known.from) + text
  const over = Math.max(0, joined.length - mostText)
  return { id, role, from: known.from + over, text: joined.slice(over) }
}
