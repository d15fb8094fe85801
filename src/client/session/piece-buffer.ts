import type { DraftChunk, DraftPart } from '../../contract/change.ts'
import { joinParts } from '../../domain/join-parts.ts'
import { isHighSurrogate, sizeOfPiece, takeChunk } from './take-chunk.ts'

type TextPiece = Exclude<DraftPart, { type: 'part' }>

/** Pieces of a reply that wait to be written. */
export interface PieceBuffer {
  /** Characters in it. */
  readonly size: number
  add(piece: DraftPart): void
  /** Takes the first pieces out, up to this many characters. */
  take(limit: number): DraftChunk
  isEmpty(): boolean
  clear(): void
}

/** Creates a buffer that holds back half a character until its other half arrives: half of one can't be stored. */
export function createPieceBuffer(): PieceBuffer {
  const pieces: DraftPart[] = []
  let size = 0
  /** The first half of a character. */
  let half: TextPiece | undefined

  function releaseHalf(): readonly TextPiece[] {
    const held = half
    half = undefined
    return held === undefined ? [] : [held]
  }

  function wholeCharacters(piece: TextPiece): readonly DraftPart[] {
    const [held] = releaseHalf()
    const continues =
      held !== undefined &&
      held.type === piece.type &&
      (held as { readonly id?: string }).id === (piece as { readonly id?: string }).id
    const text = (continues ? textOf(held) : '') + textOf(piece)
    const isCut = isHighSurrogate(text.charCodeAt(text.length - 1))
    if (isCut) half = withText(piece, text.slice(-1))
    const whole = withText(piece, isCut ? text.slice(0, -1) : text)
    const isEmpty = whole.type !== 'toolInput' && whole.text === ''
    return [...(held === undefined || continues ? [] : [held]), ...(isEmpty ? [] : [whole])]
  }

  return {
    get size() {
      return size
    },
    add: (piece) => {
      for (const whole of piece.type === 'part' ? [...releaseHalf(), piece] : wholeCharacters(piece)) {
        joinParts(pieces, [whole])
        size += sizeOfPiece(whole)
      }
    },
    take: (limit) => {
      const { chunk, taken } = takeChunk(pieces, limit)
      size -= taken
      return chunk
    },
    isEmpty: () => pieces.length === 0,
    clear: () => {
      pieces.length = 0
      size = 0
    },
  }
}

const textOf = (piece: TextPiece): string => (piece.type === 'toolInput' ? piece.input : piece.text)

const withText = (piece: TextPiece, text: string): TextPiece =>
  piece.type === 'toolInput' ? { ...piece, input: text } : { ...piece, text }
