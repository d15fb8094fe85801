import type { DraftChange, DraftChunk, DraftPart, DraftView } from '../contract/change.ts'

/** The parts of a chunk, in their order. */
export function partsOfChunk({ text = '', reasoning = '', parts = [] }: DraftChunk): readonly DraftPart[] {
  return [
    ...(reasoning === '' ? [] : [{ type: 'reasoning', text: reasoning } as const]),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...parts,
  ]
}

/**
 * Adds pieces to the parts of a reply. A piece that continues the last part, or the tool input with its id, is joined
 * to it. It changes the list but none of its parts, so that a copy of the list stays unchanged.
 */
export function joinParts(parts: DraftPart[], pieces: readonly DraftPart[]): void {
  for (const piece of pieces) joinPart(parts, piece)
}

function joinPart(parts: DraftPart[], piece: DraftPart): void {
  const at =
    piece.type === 'toolInput'
      ? parts.findLastIndex((part) => part.type === 'toolInput' && part.id === piece.id)
      : parts.length - 1
  const part = parts[at]
  if (part === undefined || part.type !== piece.type || part.type === 'part') parts.push(piece)
  else if (part.type === 'toolInput' && piece.type === 'toolInput')
    parts[at] = { ...part, ...(piece.name === undefined ? {} : { name: piece.name }), input: part.input + piece.input }
  else if ('text' in part && 'text' in piece) parts[at] = { ...part, text: part.text + piece.text }
}

/** All text, or all reasoning, of these parts. It is concatenated, so that a single part is not copied. */
export function textOfParts(parts: readonly DraftPart[], type: 'text' | 'reasoning'): string {
  let text = ''
  for (const part of parts) if (part.type === type) text += part.text
  return text
}

/** A draft with the content of a write added. */
export function growDraft(draft: DraftView, { n, ...chunk }: NonNullable<DraftChange['added']>): DraftView {
  const pieces = partsOfChunk(chunk)
  const parts = [...draft.parts]
  joinParts(parts, pieces)
  return {
    ...draft,
    parts,
    text: draft.text + textOfParts(pieces, 'text'),
    reasoning: draft.reasoning + textOfParts(pieces, 'reasoning'),
    next: n + 1,
  }
}
