import type { CoreBackend, StoredDraft } from '../../../contract/backend.ts'
import type { DraftPart, DraftView } from '../../../contract/change.ts'
import type { DraftRow } from '../../../contract/draft-row.ts'
import type { HotRow, SessionRows } from '../../../contract/rows.ts'
import { given } from '../../../domain/given.ts'
import { joinParts, partsOfChunk, textOfParts } from '../../../domain/join-parts.ts'

/** Drafts of a session that were opened since its last restart. */
export async function loadLiveDrafts(backend: CoreBackend, { hot }: SessionRows): Promise<readonly StoredDraft[]> {
  return (await backend.loadDrafts(hot.session)).filter(({ row }) => isLive(row, hot))
}

/** Whether a draft was opened since the last restart of its session. Nobody sees, writes or ends earlier ones. */
export const isLive = ({ version }: DraftRow, { restarted = 0 }: HotRow): boolean => version >= restarted

/** A draft as callers see it. */
export function draftView({ row, chunks }: StoredDraft): DraftView {
  const { id, branch, role, startedAt, resumes } = row
  const parts: DraftPart[] = []
  for (const { chunk } of chunks) joinParts(parts, partsOfChunk(chunk))
  return given({
    id,
    branch,
    role,
    mid: midOf(chunks),
    startedAt,
    parts,
    resumes,
    text: textOfParts(parts, 'text'),
    reasoning: textOfParts(parts, 'reasoning'),
    next: nextWrite(chunks),
  })
}

/** The number of a draft's next write. */
export const nextWrite = (chunks: StoredDraft['chunks']): number => (chunks.at(-1)?.n ?? -1) + 1

/** The host message id of a draft. Its first write holds it, because the rows of drafts are not encrypted. */
export const midOf = (chunks: StoredDraft['chunks']): string | undefined => chunks[0]?.chunk.mid
