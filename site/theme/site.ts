import { searchBox } from './search-box.ts'
import { tabbed } from './tabbed.ts'

// Everything is there without this script, but for the search.
for (const group of document.querySelectorAll<HTMLElement>('.tabs')) tabbed(group)
const form = document.querySelector<HTMLFormElement>('form.search')
const own = document.querySelector<HTMLScriptElement>('script[data-root]')
if (form !== null && own !== null) searchBox(form, new URL(`${own.dataset['root']}/`, location.href))
// On a narrow screen the list of pages would stand in front of the text.
if (matchMedia('(max-width: 50rem)').matches) document.querySelector('nav.pages details')?.removeAttribute('open')
