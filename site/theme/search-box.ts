import MiniSearch from 'minisearch'
import { type SearchPart, searchOptions } from '../generator/search-options.ts'

/** Searches the pages in the browser: the index is loaded when the field is first used. */
export function searchBox(form: HTMLFormElement, root: URL): void {
  const input = form.querySelector('input')!
  const hits = form.querySelector<HTMLElement>('.hits')!
  let loading: Promise<MiniSearch<SearchPart>> | undefined
  const index = (): Promise<MiniSearch<SearchPart>> =>
    (loading ??= fetch(new URL('search.json', root))
      .then((response) => response.text())
      .then((text) => MiniSearch.loadJSON<SearchPart>(text, searchOptions)))
  const search = async (): Promise<void> => {
    const query = input.value.trim()
    if (query === '') {
      hits.hidden = true
      return
    }
    const found = (await index()).search(query).slice(0, 12)
    // Somebody typed on meanwhile.
    if (query !== input.value.trim()) return
    const list = document.createElement('ul')
    for (const { id, title, page } of found) {
      const link = document.createElement('a')
      link.href = new URL(String(id), root).href
      link.append(title)
      if (page !== title) {
        const where = document.createElement('small')
        where.textContent = page
        link.append(where)
      }
      const item = document.createElement('li')
      item.append(link)
      list.append(item)
    }
    const nothing = document.createElement('p')
    nothing.textContent = 'Nothing was found.'
    hits.replaceChildren(found.length === 0 ? nothing : list)
    hits.hidden = false
  }
  const report = (error: unknown): void => {
    hits.textContent = `The search does not work: ${String(error)}`
    hits.hidden = false
    loading = undefined
  }
  input.addEventListener('focus', () => void index().catch(report))
  input.addEventListener('input', () => void search().catch(report))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    hits.querySelector('a')?.click()
  })
  form.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') hits.hidden = true
  })
  document.addEventListener('click', ({ target }) => {
    if (!form.contains(target as Node)) hits.hidden = true
  })
  // What was typed before this script was there.
  void search().catch(report)
}
