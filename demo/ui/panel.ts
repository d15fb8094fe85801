import { type Child, h } from './dom.ts'
import { iconButton } from './icon-button.ts'

/** A dialog whose head stays while its sections scroll. */
export function createPanel(name: string, title: string, ...content: readonly Child[]): HTMLDialogElement {
  const element = h(
    'dialog',
    { class: `dialog panel ${name}-panel`, 'aria-labelledby': `${name}-title`, 'data-testid': `${name}-panel` },
    h(
      'header',
      {},
      h('h2', { id: `${name}-title` }, title),
      iconButton('close', 'Close', { onclick: () => element.close() }),
    ),
    h('div', { class: 'panel-body' }, ...content),
  )
  return element
}

/** A part of a panel under a heading. */
export const panelSection = (heading: string, ...content: readonly Child[]): HTMLElement =>
  h('section', { class: 'panel-section' }, h('h3', {}, heading), ...content)

/** Names and values, in two columns. */
export function figureRows(rows: readonly (readonly [name: string, value: string])[]): readonly HTMLElement[] {
  return rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])
}

/** A field under its name. */
export const labelled = (name: string, field: HTMLElement): HTMLElement =>
  h('label', { class: 'settings-field' }, h('span', {}, name), field)
