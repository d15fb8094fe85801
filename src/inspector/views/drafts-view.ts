import type { DraftChange, DraftView } from '../../contract/change.ts'
import { growDraft } from '../../domain/join-parts.ts'
import { counted, timeOf } from '../describe-values.ts'
import type { Inspection, InspectorView } from '../inspection.ts'
import { button, figures, h, scrollArea } from '../make-element.ts'

/** The newest sessions, which are looked through for replies that were being streamed before. */
const searched = 20
/** Characters of the end of a reply that are shown. */
const tailLength = 2_000

interface ShownDraft {
  readonly key: string
  draft: DraftView
  readonly element: HTMLElement
  show(): void
}

/** Replies that are being streamed, in any tab, as they grow. */
export function createDraftsView(inspection: Inspection): InspectorView {
  const { client } = inspection
  const shown = new Map<string, ShownDraft>()
  const list = h('div', { class: 'cards' })
  const nothing = h('p', { class: 'empty' }, 'No reply is being streamed.')
  let isShown = false

  function add(key: string, draft: DraftView): void {
    const before = shown.get(draft.id)
    if (before !== undefined) {
      if (draft.next >= before.draft.next) before.draft = draft
      return before.show()
    }
    const card = createCard(key, draft)
    shown.set(draft.id, card)
    list.append(card.element)
    nothing.hidden = true
  }

  function remove(id: string): void {
    shown.get(id)?.element.remove()
    shown.delete(id)
    nothing.hidden = shown.size > 0
  }

  async function readOf(key: string): Promise<void> {
    const drafts = await client.store.listDrafts(key)
    const ids = new Set(drafts.map(({ id }) => id))
    for (const [id, draft] of shown) if (draft.key === key && !ids.has(id)) remove(id)
    for (const draft of drafts) add(key, draft)
  }

  async function readAll(): Promise<void> {
    const { sessions } = await client.listSessions({ limit: searched })
    const selected = inspection.selection()?.key
    const keys = new Set([...sessions.map(({ key }) => key), ...(selected === undefined ? [] : [selected])])
    for (const { key } of shown.values()) keys.add(key)
    for (const key of keys) await readOf(key)
  }

  function take({ key, draft: id, view, added }: DraftChange): void {
    if (view !== undefined) return add(key, view)
    if (added === undefined) return remove(id)
    const card = shown.get(id)
    if (card === undefined || added.n > card.draft.next) {
      // A write was missed: the whole draft is read again.
      inspection.attempt(() => readOf(key))
    } else if (added.n === card.draft.next) {
      card.draft = growDraft(card.draft, added)
      card.show()
    }
  }

  inspection.follow((change) => {
    if (isShown && change.type === 'draft') take(change)
  })

  return {
    element: h(
      'div',
      { class: 'view' },
      h(
        'div',
        { class: 'bar' },
        button('Refresh', () => inspection.attempt(readAll)),
      ),
      scrollArea('Replies', nothing, list),
    ),
    show() {
      isShown = true
      inspection.attempt(readAll)
    },
    hide() {
      isShown = false
    },
  }
}

function createCard(key: string, first: DraftView): ShownDraft {
  const about = h('div')
  const text = h('pre', { class: 'prose', dir: 'auto', tabindex: 0, role: 'region', 'aria-label': 'Text of the reply' })
  const card: ShownDraft = {
    key,
    draft: first,
    element: h('article', { class: 'card' }, h('h3', { dir: 'auto' }, key), about, text),
    show() {
      const { id, role, branch, startedAt, next, text: all, reasoning, parts } = card.draft
      about.replaceChildren(
        figures([
          ['Draft', id],
          ['Role', role],
          ['Branch', branch === '' ? 'main' : branch],
          ['Since', timeOf(startedAt)],
          ['Writes', String(next)],
          ['Length', `${counted(all.length, 'character')}, ${counted(reasoning.length, 'character')} of reasoning`],
          ['Parts', String(parts.length)],
        ]),
      )
      const whole = all || reasoning
      text.textContent = whole.length > tailLength ? `…${whole.slice(-tailLength)}` : whole
    },
  }
  card.show()
  return card
}
