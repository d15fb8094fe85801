import type { InboundMessage } from '../../src/identity.ts'
import { h } from '../ui/dom.ts'
import type { Finding } from './identity-state.ts'

const letters = ['A', 'B', 'C', 'D', 'E'] as const
const svgNames = 'http://www.w3.org/2000/svg'

/** What is stored under a key. */
type Stored = ReadonlyMap<string, string>

export interface SharingPicture {
  readonly element: HTMLElement
  /** @param stored - what to call the conversations that exist, by key */
  show(messages: readonly InboundMessage[], found: readonly Finding[], selected: number, stored: Stored): void
}

/** Messages on the left, conversations on the right, and a line from each message to its own. */
export function createSharingPicture(onSelect: (index: number) => void): SharingPicture {
  const rows = letters.map((_, index) => {
    const radio = h('input', { type: 'radio', name: 'identity-message', onchange: () => onSelect(index) })
    const who = h('strong')
    const where = h('small')
    const slot = h('li', { class: 'sharing-slot' })
    return {
      radio,
      who,
      where,
      slot,
      label: h(
        'label',
        { class: 'sharing-message', 'data-testid': 'identity-message' },
        radio,
        h('span', {}, who, where),
      ),
    }
  })
  const lines = document.createElementNS(svgNames, 'svg')
  lines.setAttribute('class', 'sharing-lines')
  lines.setAttribute('preserveAspectRatio', 'none')
  lines.setAttribute('aria-hidden', 'true')
  const element = h(
    'div',
    { class: 'sharing' },
    h(
      'div',
      { class: 'sharing-messages', role: 'radiogroup', 'aria-label': 'Messages' },
      ...rows.map(({ label }) => label),
    ),
    lines as unknown as HTMLElement,
    h('ol', { class: 'sharing-sessions', 'aria-label': 'Conversations they go to' }, ...rows.map(({ slot }) => slot)),
  )

  return {
    element,
    show(messages, found, selected, stored) {
      const keys = found.map((finding) => ('identity' in finding ? finding.identity.key : ''))
      const own = [...new Set(keys.filter((key) => key !== ''))]
      const letterOf = (key: string): string | undefined => letters[own.indexOf(key)]
      lines.setAttribute('viewBox', `0 0 100 ${messages.length * 100}`)
      lines.replaceChildren(
        ...keys.flatMap((key, index) =>
          key === '' ? [] : [line(index, keys.indexOf(key), letterOf(key), index === selected)],
        ),
      )
      rows.forEach(({ radio, who, where, slot, label }, index) => {
        const message = messages[index]
        label.hidden = slot.hidden = message === undefined
        if (message === undefined) return
        const letter = letterOf(keys[index] as string)
        radio.checked = index === selected
        label.dataset['letter'] = letter ?? ''
        who.textContent = nameOf(found[index] as Finding, message)
        where.textContent = placeOf(message)
        const isFirst = keys.indexOf(keys[index] as string) === index && letter !== undefined
        slot.replaceChildren(
          ...(isFirst
            ? sessionOf(letter, keys.filter((key) => key === keys[index]).length, stored.get(keys[index] as string))
            : []),
        )
        slot.dataset['letter'] = isFirst ? letter : ''
        // An empty slot only keeps the place of its row.
        slot.setAttribute('aria-hidden', String(!isFirst))
      })
    },
  }
}

function sessionOf(letter: string, messages: number, title: string | undefined): HTMLElement[] {
  return [
    h('b', {}, letter),
    h(
      'span',
      {},
      h('strong', {}, title ?? 'Not started'),
      h('small', {}, messages === 1 ? 'one message' : `${messages} messages`),
    ),
  ]
}

function line(from: number, to: number, letter: string | undefined, isSelected: boolean): SVGPathElement {
  const path = document.createElementNS(svgNames, 'path')
  const [start, end] = [from * 100 + 50, to * 100 + 50]
  path.setAttribute('d', `M0 ${start}C55 ${start} 45 ${end} 100 ${end}`)
  path.setAttribute('data-letter', letter ?? '')
  if (isSelected) path.setAttribute('class', 'selected')
  return path
}

const nameOf = (finding: Finding, { senderId }: InboundMessage): string =>
  ('values' in finding && finding.values['sender']) || senderId?.trim() || 'Unknown sender'

function placeOf({ channel, account, chatType, chatId, topicId }: InboundMessage): string {
  const chat = chatId?.trim()
    ? `${chatType || 'direct'} ${chatId.trim()}${topicId?.trim() ? ` / ${topicId.trim()}` : ''}`
    : ''
  return [channel?.trim() || 'unknown', account?.trim(), chat].filter(Boolean).join(' · ')
}
