import type { SearchHit, SessionListing } from '../../src/index.ts'
import type { SearchSnippet } from '../../src/types.ts'
import { speakerOf } from '../chat/message-preview.ts'
import { titleOf } from '../chat/top-bar.ts'
import { h } from '../ui/dom.ts'
import { counted, longTime, shortTime } from '../ui/format.ts'
import { icon } from '../ui/icons.ts'

/** A row of the results. The field keeps the focus, so a row is no stop of the Tab key. */
export type SearchRow = (id: string, onChoose: () => void) => HTMLElement

/** A message that was found. */
export const hitRow =
  (hit: SearchHit): SearchRow =>
  (id, onChoose) =>
    option(id, onChoose, 'search-hit', [
      h('span', { class: 'search-title' }, titleOf(hit)),
      h('span', { class: 'search-info', title: longTime(hit.at) }, `${speakerOf(hit.role)} · ${shortTime(hit.at)}`),
      h('span', { class: 'search-snippet', dir: 'auto' }, ...marked(hit.snippet)),
    ])

/** A conversation: of a title that was found, or offered before anything is typed. */
export const sessionRow =
  (session: SessionListing): SearchRow =>
  (id, onChoose) =>
    option(id, onChoose, 'search-session', [
      h('span', { class: 'search-title' }, icon('chat'), h('span', { dir: 'auto' }, titleOf(session))),
      h(
        'span',
        { class: 'search-info', title: longTime(session.updatedAt) },
        `${counted(session.messageCount, 'message')} · ${shortTime(session.updatedAt)}`,
      ),
    ])

function option(id: string, onChoose: () => void, testId: string, content: readonly HTMLElement[]): HTMLElement {
  return h(
    'li',
    {
      id,
      class: 'search-row',
      role: 'option',
      'aria-selected': 'false',
      'data-testid': testId,
      onclick: () => onChoose(),
    },
    ...content,
  )
}

/** The text of a snippet, what was found in it as `mark` elements: it stays text, whatever stands in it. */
function marked({ text, matches }: SearchSnippet): readonly (Node | string)[] {
  const parts: (Node | string)[] = []
  let at = 0
  for (const [start, end] of matches) {
    parts.push(text.slice(at, start), h('mark', {}, text.slice(start, end)))
    at = end
  }
  return [...parts, text.slice(at)]
}
