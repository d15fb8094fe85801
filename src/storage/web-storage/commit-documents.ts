import type { CommitOutcome, WriteBatch } from '../../contract/write-batch.ts'
import { cloneInput } from '../clone-input.ts'
import { refuseOtherTerm, termsOf } from '../leader-term.ts'
import { staleSessions } from '../planned-version.ts'
import { applyWrite, createDocument } from '../session-document.ts'
import { withErasures } from '../unreported-purges.ts'
import type { PurgesText } from './purges-text.ts'
import type { RowTexts } from './row-texts.ts'
import type { SessionTexts } from './session-texts.ts'
import type { TermText } from './term-text.ts'

export interface StoredTexts {
  readonly texts: SessionTexts
  readonly leader: TermText
  readonly purges: PurgesText
  readonly rows: RowTexts
}

/** Applies a batch to the documents, or nothing of it. */
export function commitDocuments({ texts, leader, purges, rows }: StoredTexts, batch: WriteBatch): CommitOutcome {
  const terms = termsOf(batch)
  if (terms.size > 0) refuseOtherTerm(terms, leader.load())
  const stale = staleSessions(batch, {
    hot: (key) => texts.load(key)?.hot,
    aliasOwner: texts.owner,
    hasNumber: (session) => texts.find(session) !== undefined,
  })
  if (stale.length > 0) return { stored: false, stale }
  const writing = batch.rows && rows.plan(batch.rows)
  const documents = cloneInput(batch.sessions).map((write) => {
    const document = texts.take(write.hot.key) ?? createDocument(write.hot)
    applyWrite(document, write)
    return document
  })
  const removed = batch.erase.filter(({ key, session }) => canErase(texts, key, session)).map(({ key }) => key)
  const owners = new Map<string, string | undefined>()
  for (const { hot, aliases } of batch.sessions)
    for (const alias of aliases.drop) if (texts.owner(alias) === hot.key) owners.set(alias, undefined)
  for (const { hot, aliases } of batch.sessions) for (const alias of aliases.add) owners.set(alias, hot.key)
  const unreported = purges.load()
  texts.save(documents, removed, owners, [
    ...(writing?.texts ?? []),
    ...(unreported === undefined || removed.length === 0 ? [] : [purges.textOf(withErasures(unreported, batch.erase))]),
  ])
  return { stored: true, ...(writing && { changed: writing.changed }) }
}

/** A damaged document can be erased too: nothing else is left to do with it. */
function canErase(texts: SessionTexts, key: string, session: number): boolean {
  const document = texts.find(session)
  return document === 'damaged' || document?.hot.key === key
}
