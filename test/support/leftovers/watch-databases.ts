/** A name with this in it was drawn at random, so that nobody else meets what is in the database. */
const random = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

/** The databases of the origin that another file would find by name. */
export async function databasesToBeFound(): Promise<ReadonlySet<string>> {
  const databases = (await globalThis.indexedDB?.databases?.()) ?? []
  return new Set(databases.flatMap(({ name }) => (name === undefined || random.test(name) ? [] : [name])))
}
