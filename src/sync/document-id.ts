/** Ids of sessions have no other character where a life can stand. */
const mark = '-'

/** A document's part of its name: each life of a session has one of its own, as what was taken out of a document can't come into it again. */
export function documentIdOf(id: string, life: number): string {
  return life === 0 ? id : `${id}${mark}${life}`
}

/** The session's part of that, where it is no first life. */
export function laterLifeOf(documentId: string): string | undefined {
  return /^(.+)-[1-9]\d*$/.exec(documentId)?.[1]
}
