import { searchBox } from './search-box.ts'
import { tabbed } from './tabbed.ts'

// Everything is there without this script, but for the search.
for (const group of document.querySelectorAll<HTMLElement>('.tabs')) tabbed(group)
const form = document.querySelector<HTMLFormElement>('form.search')
const own = document.querySelector<HTMLScriptElement>('script[data-root]')
if (form !== null && own !== null) searchBox(form, new URL(`${own.dataset['root']}/`, location.href))
// The list of pages is longer than the screen: it begins where the reader is.
const pages = document.querySelector<HTMLElement>('nav.pages')
const current = pages?.querySelector<HTMLElement>('[aria-current]')
if (pages && current && current.offsetTop > pages.clientHeight - 100)
  pages.scrollTop = current.offsetTop - pages.clientHeight / 3
