/**
 * Makes a list one stop of the Tab key: Up, Down, Home and End go between its rows, Left and Right between a row and
 * its buttons. The stop is the row last used, else the current one, else the first.
 *
 * @param main - selects what of each row has the focus first
 * @returns call it after the rows have changed
 */
export function rovingFocus(list: HTMLElement, main = 'a'): () => void {
  let stop: HTMLElement | undefined

  const links = () => [...list.querySelectorAll<HTMLElement>(main)]

  function refresh(): void {
    const all = links()
    if (stop === undefined || !all.includes(stop))
      stop = all.find((link) => link.hasAttribute('aria-current')) ?? all[0]
    for (const link of all) {
      const tabIndex = link === stop ? 0 : -1
      // Each write has the browser look at the element again, of which there may be a thousand.
      if (link.tabIndex !== tabIndex) link.tabIndex = tabIndex
    }
  }

  list.addEventListener('focusin', (event) => {
    const link =
      event.target instanceof Element ? event.target.closest('li')?.querySelector<HTMLElement>(main) : undefined
    if (!link) return
    stop = link
    refresh()
  })

  list.addEventListener('keydown', (event) => {
    const row = event.target instanceof Element ? event.target.closest('li') : null
    if (row === null || event.target instanceof HTMLInputElement || event.altKey || event.ctrlKey || event.metaKey)
      return
    const target = targetOf(event.key, row, links())
    if (target === undefined) return
    event.preventDefault()
    target.focus()
  })

  return refresh
}

function targetOf(key: string, row: Element, links: readonly HTMLElement[]): HTMLElement | undefined {
  const at = links.findIndex((link) => row.contains(link))
  const inRow = [...row.querySelectorAll<HTMLElement>('a, button')]
  const place = inRow.findIndex((control) => control === document.activeElement)
  switch (key) {
    case 'ArrowDown':
      return links[at + 1]
    case 'ArrowUp':
      return links[at - 1]
    case 'Home':
      return links[0]
    case 'End':
      return links.at(-1)
    case 'ArrowRight':
      return inRow[place + 1]
    case 'ArrowLeft':
      return inRow[place - 1]
    default:
      return undefined
  }
}
