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
  let reads = 0
  /** Replies that ended while something was read: what was read before that still has them. */
  const ended = new Set<string>()

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
    reads++
    try {
      const before = [...shown].filter(([, card]) => card.key === key)
      const drafts = await client.store.listDrafts(key)
      const ids = new Set(drafts.map(({ id }) => id))
      for (const [id] of before) if (!ids.has(id)) remove(id)
      for (const draft of drafts) if (!ended.has(draft.id)) add(key, draft)
    } finally {
      if (--reads === 0) ended.clear()
    }
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
    if (added === undefined) {
      if (reads > 0) ended.add(id)
      return remove(id)
    }
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
