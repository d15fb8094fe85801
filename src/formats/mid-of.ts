import type { Entry } from '../contract/entry.ts'

/** The host's message id of an entry, by which imports recognise it; `''` when it has none. */
export function midOf({ data: { mid } }: Entry): string {
  return typeof mid === 'string' ? mid : ''
}
