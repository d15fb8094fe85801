import type { StoredDraft } from '../contract/backend.ts'
import type { DraftChunk } from '../contract/change.ts'
import { utf8Length } from '../domain/utf8.ts'

/** Size of a chunk of a draft: the bytes of its text, and of its parts as JSON; for a sealed chunk, its own size. */
export function chunkBytes({
  text = '',
  reasoning = '',
  parts = [],
  sealed = '',
}: DraftChunk & { readonly sealed?: string }): number {
  return (
    utf8Length(text) +
    utf8Length(reasoning) +
    (parts.length === 0 ? 0 : utf8Length(JSON.stringify(parts))) +
    sealed.length
  )
}

/** Bytes of text in drafts. */
export function draftBytes(drafts: readonly StoredDraft[]): number {
  return drafts.flatMap(({ chunks }) => chunks).reduce((sum, { chunk }) => sum + chunkBytes(chunk), 0)
}
