import { h } from './dom.ts'

const narrow = matchMedia('(max-width: 760px)')

export interface Drawer {
  readonly elements: readonly HTMLElement[]
  open(): void
  close(): void
}

/** A side panel: beside the rest in wide windows, over it in narrow ones, where it opens and closes. */
export function createDrawer(id: string, ...content: readonly HTMLElement[]): Drawer {
  const panel = h('aside', { class: 'drawer', id }, ...content)
  const shade = h('div', { class: 'drawer-shade', onclick: () => close() })
  let isOpen = false
  let opener: Element | null = null

  function show(): void {
    panel.dataset['open'] = String(isOpen)
    shade.dataset['open'] = String(isOpen)
    // What can't be seen must not be reached by Tab: the closed panel, or what it covers.
    panel.inert = narrow.matches && !isOpen
    const behind = panel.parentElement?.querySelector('main')
    if (behind) behind.inert = narrow.matches && isOpen
  }

  function close(): void {
    if (!isOpen) return
    isOpen = false
    show()
    if (opener instanceof HTMLElement) opener.focus()
  }

  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close()
  })
  narrow.addEventListener('change', show)
  show()

  return {
    elements: [shade, panel],
    close,
    open() {
      if (!narrow.matches) return
      opener = document.activeElement
      isOpen = true
      show()
      panel.querySelector<HTMLElement>('button, input, a')?.focus()
    },
  }
}
