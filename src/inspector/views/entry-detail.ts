import type { EntryView } from '../../contract/entry.ts'
import { timeOf } from '../describe-values.ts'
import { kindOfEntry, marksOfEntry, textOfMessage } from '../entry-text.ts'
import type { Inspection } from '../inspection.ts'
import { jsonText, longText } from '../json-text.ts'
import { button, figures, fill, h } from '../make-element.ts'
import { readStoredEntry } from '../stored-entry.ts'

export interface EntryDetail {
  readonly element: HTMLElement
  show(key: string, entry: EntryView): void
  close(): void
}

/** One entry, as it is seen and as it was stored. */
export function createEntryDetail(inspection: Inspection, onClose: () => void): EntryDetail {
  const content = h('div', { class: 'detail-body' })
  const title = h('h3', { tabindex: -1 })
  const seen = button('As seen', () => choose(false))
  const raw = button('Stored', () => choose(true))
  const element = h(
    'aside',
    { class: 'detail', hidden: true, 'aria-label': 'One entry' },
    h(
      'div',
      { class: 'bar' },
      title,
      h('span', { role: 'group', 'aria-label': 'Shown' }, seen, raw),
      button('Close', close, { 'aria-label': 'Close the entry' }),
    ),
    content,
  )
  let shown: { readonly key: string; readonly entry: EntryView } | undefined
  let isRaw = false

  function choose(isStored: boolean): void {
    isRaw = isStored
    display()
  }

  function display(): void {
    seen.setAttribute('aria-pressed', String(!isRaw))
    raw.setAttribute('aria-pressed', String(isRaw))
    if (shown === undefined) return
    const { key, entry } = shown
    title.textContent = `${kindOfEntry(entry)} ${entry.id}`
    if (!isRaw) return fill(content, seenParts(entry))
    content.replaceChildren(h('p', { class: 'hint' }, 'Reading…'))
    const asked = shown
    inspection.attempt(async () => {
      const parts = await storedParts(inspection, key, entry)
      if (shown === asked && isRaw) fill(content, parts)
    })
  }

  function close(): void {
    if (element.hidden) return
    element.hidden = true
    shown = undefined
    onClose()
  }

  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    // The panel itself is not meant.
    event.stopPropagation()
    close()
  })

  return {
    element,
    show(key, entry) {
      shown = { key, entry }
      element.hidden = false
      display()
    },
    close,
  }
}

function seenParts(entry: EntryView): readonly HTMLElement[] {
  const text = entry.message === undefined ? '' : textOfMessage(entry.message)
  return [
    figures([
      ['Time', timeOf(entry.at)],
      ['Message id', entry.mid ?? 'none'],
      ['Branch', entry.branch === '' ? 'main' : entry.branch],
      ['Order', entry.order],
      ['Turn', entry.turn],
      ...(marksOfEntry(entry) === '' ? [] : [['Marks', marksOfEntry(entry)] as const]),
    ]),
    ...(text === '' ? [] : [longText(text, 'text')]),
    jsonText(entry.message ?? entry.data, 'content'),
  ]
}

const unread = {
  older:
    'This record is far from the end of the log and has no message id, so that the whole log would have to be read for it. An export as an archive has it.',
  gone: 'There is no record of this entry any more.',
} as const

async function storedParts({ client }: Inspection, key: string, entry: EntryView): Promise<readonly HTMLElement[]> {
  const found = await readStoredEntry(client.store, key, entry)
  const edit = entry.edit === undefined ? undefined : await readStoredEntry(client.store, key, { id: entry.edit })
  const part = (one: typeof found, name: string): HTMLElement =>
    'entry' in one ? jsonText(one.entry, name) : h('p', { class: 'hint' }, unread[one.missing])
  return [
    part(found, 'record'),
    ...(edit === undefined ? [] : [h('h4', {}, `Edit ${entry.edit}`), part(edit, 'record of the edit')]),
  ]
}
