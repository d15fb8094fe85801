/**
 * Documents that the server may still think are open: if they were opened again before it has answered, it would lose
 * them.
 */
export interface LeavingDocuments {
  /** The document was closed here. It counts as leaving until the server answers, or takes too long. */
  add(name: string): void
  has(name: string): boolean
  /** The server has closed the document. */
  finish(name: string): void
  /** Resolves when the document can be opened again. */
  left(name: string): Promise<void>
  finishAll(): void
}

/** @param patience - how long the server may take to answer, in milliseconds */
export function createLeavingDocuments(patience: number): LeavingDocuments {
  const leaving = new Map<string, { readonly finish: () => void; readonly done: Promise<void> }>()
  const start = (name: string): { finish: () => void; done: Promise<void> } => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let resolve: () => void = () => undefined
    const done = new Promise<void>((resolveDone) => (resolve = resolveDone))
    const finish = (): void => {
      clearTimeout(timer)
      leaving.delete(name)
      resolve()
    }
    timer = setTimeout(finish, patience)
    return { finish, done }
  }
  return {
    add: (name) => void leaving.set(name, start(name)),
    has: (name) => leaving.has(name),
    finish: (name) => leaving.get(name)?.finish(),
    left: async (name) => leaving.get(name)?.done,
    finishAll: () => {
      for (const { finish } of [...leaving.values()]) finish()
    },
  }
}
