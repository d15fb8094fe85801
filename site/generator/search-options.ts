import type { Options } from 'minisearch'

/** A part of a page, as the search knows it. Its id is its address. */
export interface SearchPart {
  readonly id: string
  readonly page: string
  readonly title: string
  readonly text: string
}

/** The index is made and read with the same options. */
export const searchOptions: Options<SearchPart> = {
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page'],
  searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
}
