/** Splits the path of a log or an index into its directory (`''` at the top) and its name without the ending. */
export function splitPath(path: string): { readonly directory: string; readonly stem: string } {
  const at = path.lastIndexOf('/')
  return { directory: path.slice(0, Math.max(0, at)), stem: path.slice(at + 1).replace(/\.jsonl$/, '') }
}
