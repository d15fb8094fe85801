import type { LeaderTerm } from '../../contract/term.ts'
import { noTerm } from '../leader-term.ts'
import { writeTexts } from './write-texts.ts'

/** The term of the leader, as one text. */
export interface TermText {
  load(): LeaderTerm
  save(leader: LeaderTerm): void
}

/** The text lies under `<name>:leader`. */
export function createTermText(storage: Storage, name: string): TermText {
  const key = `${name}:leader`
  return {
    load: () => {
      try {
        const { term, holder, beat } = JSON.parse(storage.getItem(key) ?? '{}') as Partial<LeaderTerm>
        if (typeof term === 'number' && typeof holder === 'string' && typeof beat === 'number')
          return { term, holder, beat }
      } catch {
        // A damaged text counts as none: the next claim starts again.
      }
      return noTerm
    },
    save: (leader) => writeTexts(storage, [{ key, text: JSON.stringify(leader) }]),
  }
}
