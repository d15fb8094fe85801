import { h, type Props } from './dom.ts'
import { type IconName, icon } from './icons.ts'

/** A button that shows an icon only; `label` is its name and its tooltip. */
export function iconButton(name: IconName, label: string, props: Props = {}): HTMLButtonElement {
  return h('button', { type: 'button', class: 'icon-button', 'aria-label': label, title: label, ...props }, icon(name))
}
