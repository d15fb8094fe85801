import type { LeaderTerm } from '../../contract/term.ts'
import { noTerm } from '../leader-term.ts'
import { writeTexts } from './write-texts.ts'

/** The row that says who leads, under `<name>:leader`. */
export function createTermText(storage: Storage, name: string): { load(): LeaderTerm; save(leader: LeaderTerm): void } {
  const key = `${name}:leader`
  return {
    load: () => {
      try {
        const { term, holder, beat } = JSON.parse(storage.getItem(key) ?? '{}') as Partial<LeaderTerm>
        if (typeof term === 'number' && typeof holder === 'string' && typeof beat === 'number') return { term, holder, beat }
      } catch {
        // What can't be read says nothing: whoever claims next begins anew.
      }
      return noTerm
    },
    save: (leader) => writeTexts(storage, [{ key, text: JSON.stringify(leader) }]),
  }
}
