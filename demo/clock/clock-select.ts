import { h } from '../ui/dom.ts'
import { clockAddress, hoursAhead } from './wrong-clock.ts'

const choices = [
  [0, 'right'],
  [3, '3 h ahead'],
  [-3, '3 h behind'],
] as const

/** Sets the clock of this device, which takes effect with the page loaded anew. */
export function clockSelect(): HTMLElement {
  const select = h('select', {
    'data-testid': 'clock',
    onchange: () => location.assign(clockAddress(Number(select.value))),
  })
  for (const [hours, text] of choices)
    select.add(new Option(text, String(hours), hours === hoursAhead, hours === hoursAhead))
  return h('label', { class: 'walk-clock' }, 'Clock', select)
}
