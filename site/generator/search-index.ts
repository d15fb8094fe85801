import MiniSearch from 'minisearch'
import { partsOf } from './page-parts.ts'
import { searchOptions } from './search-options.ts'
import { type SitePage, titleOf } from './site-page.ts'

/** The index that the page searches in by itself: a part for each heading. */
export function searchIndex(pages: readonly SitePage[]): string {
  const index = new MiniSearch(searchOptions)
  for (const page of pages)
    for (const { heading, anchor, text } of partsOf(page.markdown))
      index.add({
        id: `${page.address}.html${anchor === '' ? '' : `#${anchor}`}`,
        page: titleOf(page),
        title: heading,
        text,
      })
  return JSON.stringify(index)
}
