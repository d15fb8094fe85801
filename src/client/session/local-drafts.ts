import type { DraftPart, DraftView } from '../../contract/change.ts'
import { textOfParts } from '../../domain/join-parts.ts'

/** The replies that this page streams. They are in memory before they are stored. */
export interface LocalDrafts {
  /** A reply of a session has grown. @param parts - all of it, in a list that goes on growing */
  grow(key: string, draft: string, parts: readonly DraftPart[]): void
  end(draft: string): void
  /** A draft with all that this page has of it. The same object, unless the draft has grown. */
  show(stored: DraftView): DraftView
  /** Calls a function with the draft whenever a reply of a session grows. @returns a function that stops it */
  follow(key: string, onGrow: (draft: string) => void): () => void
}

interface LocalDraft {
  readonly parts: readonly DraftPart[]
  /** Counts how often it has grown. */
  readonly revision: number
}

export function createLocalDrafts(): LocalDrafts {
  const drafts = new Map<string, LocalDraft>()
  // What ended is shown as it was, until the change arrives that says so.
  const shown = new WeakMap<DraftView, { readonly revision: number; readonly view: DraftView }>()
  const followers = new Map<string, Set<(draft: string) => void>>()
  return {
    grow: (key, draft, parts) => {
      drafts.set(draft, { parts, revision: (drafts.get(draft)?.revision ?? 0) + 1 })
      for (const onGrow of followers.get(key) ?? []) onGrow(draft)
    },
    end: (draft) => void drafts.delete(draft),
    show: (stored) => {
      const draft = drafts.get(stored.id)
      const known = shown.get(stored)
      if (draft === undefined) return known?.view ?? stored
      if (known?.revision === draft.revision) return known.view
      const view = withParts(stored, draft.parts)
      shown.set(stored, { revision: draft.revision, view })
      return view
    },
    follow: (key, onGrow) => {
      const own = (draft: string): void => onGrow(draft)
      const all = followers.get(key) ?? new Set()
      followers.set(key, all.add(own))
      return () => {
        all.delete(own)
        if (all.size === 0 && followers.get(key) === all) followers.delete(key)
      }
    },
  }
}

function withParts(draft: DraftView, grown: readonly DraftPart[]): DraftView {
  const parts = [...grown]
  const last = parts.at(-1)
  // A piece may end within a character of two code units: the other half comes with the next one.
  if (last !== undefined && 'text' in last && /[\uD800-\uDBFF]$/.test(last.text))
    parts[parts.length - 1] = { ...last, text: last.text.slice(0, -1) }
  return { ...draft, parts, text: textOfParts(parts, 'text'), reasoning: textOfParts(parts, 'reasoning') }
}
