/**
 * Whether an id of a file may become an alias. One with `:` or `/` in it could be the key of a session that is here,
 * and would lead away from it.
 */
export function isPlainId(id: string): boolean {
  return /^[\w.~-]{1,256}$/.test(id)
}
