const messages = {
  query:
    'A live query was garbage-collected without being closed, so it still reads every change. ' +
    'Call close() on it when its view is gone, or declare it with `using`.',
  stream:
    'A message stream was garbage-collected without being ended, so its reply stays a draft. ' +
    'Call end() or abort() on it, also when its source fails.',
  openStream:
    'A session was closed while a reply was being streamed into it; the reply was kept as interrupted. ' +
    'Call end() or abort() on the stream before you close the session.',
} as const

const given = new Set<keyof typeof messages>()

/** Writes a warning to the console, the first time only. */
export function warn(kind: keyof typeof messages, key = ''): void {
  if (given.has(kind)) return
  given.add(kind)
  console.warn(`keepsession: ${messages[kind]}${key === '' ? '' : ` (session "${key}")`}`)
}

const registry =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry<'query' | 'stream'>((kind) => warn(kind))

/** Warns when this object is garbage-collected before `unwatch` is called with its token. */
export function watch(kind: 'query' | 'stream', target: object, token: object): void {
  registry?.register(target, kind, token)
}

export function unwatch(token: object): void {
  registry?.unregister(token)
}
