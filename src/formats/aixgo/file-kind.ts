/** A file of an Aixgo directory: `<agent>/sessions.json`, `<agent>/<session>.jsonl`, `<agent>/checkpoints/<checkpoint>.json`. */
export interface AixgoFile {
  readonly kind: 'index' | 'log' | 'checkpoint'
  /** Path of the agent's directory; `''` when the files lie at the top. */
  readonly directory: string
  /** Its name without the ending. */
  readonly name: string
}

/** What a path is in such a directory; `undefined` for anything else. Files that archivers of macOS add are left alone. */
export function aixgoFile(path: string): AixgoFile | undefined {
  const at = path.lastIndexOf('/')
  const file = path.slice(at + 1)
  const directory = path.slice(0, Math.max(0, at))
  if (file.startsWith('._') || path.startsWith('__MACOSX/')) return undefined
  if (file === 'sessions.json') return { kind: 'index', directory, name: 'sessions' }
  if (file.endsWith('.jsonl') && file !== '.jsonl') return { kind: 'log', directory, name: file.slice(0, -6) }
  const parent = /^(?:(.*)\/)?checkpoints$/.exec(directory)
  return parent !== null && file.endsWith('.json') ? { kind: 'checkpoint', directory: parent[1] ?? '', name: file.slice(0, -5) } : undefined
}
