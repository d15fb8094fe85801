/** Whether an id of a file may become an alias. An id with `:` or `/` could be the key of an existing session. */
export function isPlainId(id: string): boolean {
  return /^[\w.~-]{1,256}$/.test(id)
}
