import type { Session, TranscriptSnapshot } from '../../src/index.ts'
import { h } from '../ui/dom.ts'
import { folded } from './part-view.ts'

/** A note that stands before an entry. */
interface PlacedNote {
  /** Position of that entry in the snapshot. */
  readonly index: number
  readonly element: HTMLElement
}

/** Tells where the note stands in a snapshot, if anywhere. */
export type SummaryNote = (snapshot: TranscriptSnapshot) => PlacedNote | undefined

/**
 * Marks where the model's view of a long conversation begins: a summary stands for everything above. The transcript
 * keeps it all, so the place is read from the other view of the line.
 *
 * @param onFound - called when the place is known, or has changed
 */
export function createSummaryNote(session: Session, onFound: () => void): SummaryNote {
  let wanted = ''
  let firstKept: string | undefined
  let element = h('div')

  async function find(line: string, summary: string): Promise<void> {
    const { entries } = await session.page({ view: 'context', after: '', limit: 1 })
    if (wanted !== line) return
    firstKept = entries[0]?.order
    element = h(
      'div',
      { class: 'note summary' },
      folded({ sign: 'fold', name: 'The model sees a summary of the messages above', text: summary, isProse: true }),
    )
    onFound()
  }

  return ({ meta, entries }) => {
    if (meta === undefined || meta.summary === '') return undefined
    const line = `${meta.head} ${meta.summary}`
    if (line !== wanted) {
      wanted = line
      firstKept = undefined
      // Without it the conversation is as readable as before; the next change tries again.
      find(line, meta.summary).catch(() => (wanted = ''))
    }
    const index = firstKept === undefined ? -1 : entries.findIndex(({ order }) => order === firstKept)
    return index < 0 ? undefined : { index, element }
  }
}
