/** Shows the parts below the headings of a group one at a time, with a tab for each. */
export function tabbed(group: HTMLElement): void {
  const headings = [...group.querySelectorAll<HTMLElement>(':scope > h3')]
  const list = document.createElement('div')
  list.role = 'tablist'
  list.ariaLabel = 'Variants'
  const panels = headings.map((heading, i) => {
    const panel = document.createElement('div')
    panel.role = 'tabpanel'
    panel.id = `panel-${heading.id}`
    while (heading.nextSibling && heading.nextSibling !== headings[i + 1]) panel.append(heading.nextSibling)
    const tab = document.createElement('button')
    tab.type = 'button'
    tab.role = 'tab'
    tab.id = heading.id
    tab.textContent = heading.firstChild?.textContent?.trim() ?? ''
    tab.setAttribute('aria-controls', panel.id)
    panel.setAttribute('aria-labelledby', tab.id)
    tab.addEventListener('click', () => show(i))
    list.append(tab)
    heading.replaceWith(panel)
    return panel
  })
  const tabs = [...list.children] as HTMLElement[]
  const show = (shown: number): void => {
    for (const [i, tab] of tabs.entries()) {
      tab.ariaSelected = String(i === shown)
      tab.tabIndex = i === shown ? 0 : -1
      panels[i]!.hidden = i !== shown
    }
  }
  list.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const next = (tabs.indexOf(document.activeElement as HTMLElement) + step + tabs.length) % tabs.length
    show(next)
    tabs[next]!.focus()
  })
  group.prepend(list)
  const wanted = tabs.findIndex(({ id }) => `#${id}` === location.hash)
  show(Math.max(0, wanted))
}
