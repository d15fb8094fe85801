/** Ids in one of the two parts. */
const partSize = 4096

/** Which operations a writer has stored, of whatever session. */
export interface OwnOperations {
  readonly add: (id: string) => void
  readonly has: (id: string) => boolean
}

/**
 * Remembers the newest 4,096 to 8,192 ids, whichever sessions they belong to. Who drew an id for this writer repeats it at once or to another writer,
 * so the bound costs nobody anything. In two parts, because a set that loses its oldest member with each new one gets slow.
 */
export function createOwnOperations(): OwnOperations {
  let newer = new Set<string>()
  let older = new Set<string>()
  return {
    add: (id) => {
      if (newer.size >= partSize) {
        older = newer
        newer = new Set()
      }
      newer.add(id)
    },
    has: (id) => newer.has(id) || older.has(id),
  }
}
