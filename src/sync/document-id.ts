/** A character that no session id has at this place. */
const mark = '-'

/**
 * The id of a document: each life of a session has a document of its own, because what was deleted from a document
 * cannot be added again.
 */
export function documentIdOf(id: string, life: number): string {
  return life === 0 ? id : `${id}${mark}${life}`
}

/** The session's part of a document id, if it is not the first life. */
export function laterLifeOf(documentId: string): string | undefined {
  return /^(.+)-[1-9]\d*$/.exec(documentId)?.[1]
}
