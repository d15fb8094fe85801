import type { DraftPiece, PeerDraft } from './presence-state.ts'

/** Characters of one reply that are kept; of a longer one, the end. */
const mostText = 100_000

/**
 * Puts the end of a reply to what has been seen of it. A state may be passed over on its way, which is why pieces overlap; where one doesn't reach back to
 * what is here, a hole would be shown as if the texts belonged together: what stood before it goes.
 */
export function joinPiece(known: PeerDraft | undefined, { id, role, from, text }: DraftPiece): PeerDraft {
  if (known?.id !== id) return { id, role, from, text }
  const reached = known.from + known.text.length
  if (from > reached || from < known.from) return from + text.length < reached && from < known.from ? known : { id, role, from, text }
  const joined = known.text.slice(0, from - known.from) + text
  const over = Math.max(0, joined.length - mostText)
  return { id, role, from: known.from + over, text: joined.slice(over) }
}
