import type { ExportFormat, SessionClient, SessionMeta } from '../../src/index.ts'
import { h } from '../ui/dom.ts'
import { icon } from '../ui/icons.ts'
import type { Toasts } from '../ui/toasts.ts'

export interface ExportMenu {
  readonly element: HTMLElement
  show(meta: SessionMeta | undefined): void
}

const choices: readonly { readonly format: ExportFormat; readonly name: string; readonly hint: string; readonly isAll?: true }[] = [
  { format: 'markdown', name: 'Markdown', hint: 'To read' },
  { format: 'openai', name: 'OpenAI messages', hint: 'JSON' },
  { format: 'pi', name: 'Session log', hint: 'pi, with its branches' },
  { format: 'archive', name: 'All conversations', hint: 'An archive; import it to get all of it back', isAll: true },
]

/** Saves the open conversation, or all of them, as files. */
export function createExportMenu(store: SessionClient, toasts: Toasts): ExportMenu {
  let key: string | undefined
  const items = choices.map(({ format, name, hint, isAll = false }) =>
    h(
      'li',
      {},
      h('button', { type: 'button', class: 'menu-item', 'data-testid': `export-${format}`, onclick: () => (menu.hidePopover(), void save(format, isAll)) }, h('span', {}, name), h('span', { class: 'menu-hint' }, hint)),
    ),
  )
  const menu = h('div', { class: 'menu', popover: 'auto', id: 'export-menu', 'aria-label': 'Export', role: 'dialog' }, h('h2', {}, 'Save as a file'), h('ul', { class: 'menu-list' }, ...items))
  const opener = h('button', { type: 'button', class: 'icon-button', popovertarget: 'export-menu', 'data-testid': 'export', title: 'Export', 'aria-label': 'Export' }, icon('export'))
  const element = h('div', { class: 'export-menu' }, opener, menu)

  async function save(format: ExportFormat, isAll: boolean): Promise<void> {
    try {
      for (const { path, blob } of await store.exportFiles(format, isAll || key === undefined ? {} : { keys: [key] }).result) download(path, blob)
    } catch (error) {
      toasts.fail('It could not be exported', error)
    }
  }

  return {
    element,
    show(meta) {
      key = meta?.key
      items.forEach((item, i) => (item.hidden = meta === undefined && choices[i]?.isAll === undefined))
    },
  }
}

function download(path: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = h('a', { href: url, download: path.split('/').at(-1) })
  link.click()
  // The browser reads it when it is asked where to put it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
