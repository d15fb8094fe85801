import { openNative } from '../../storage/damage-indexeddb.ts'
import { damageWebStorage } from '../../storage/damage-web-storage.ts'

const request = <T>(asked: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result)
    asked.onerror = () => reject(asked.error)
  })

/** Puts something else in the place of the first record of a session's main line. */
export async function damageFirstInIndexedDb(
  factory: IDBFactory,
  range: typeof IDBKeyRange,
  name: string,
  key: string,
): Promise<void> {
  const database = await openNative(factory, name)
  try {
    const { session } = (await request(database.transaction('sessions').objectStore('sessions').get(key))) as {
      readonly session: number
    }
    const entries = database.transaction('entries', 'readwrite').objectStore('entries')
    const cursor = await request(entries.openKeyCursor(range.bound([session, 0], [session, 0, []])))
    if (cursor === null) throw new Error(`Session "${key}" has no record on its main line.`)
    await request(entries.put({ nonsense: true }, cursor.primaryKey))
  } finally {
    database.close()
  }
}

/** Cuts the line of the first record of a session's main line in half. */
export async function damageFirstInWebStorage(storage: Storage, name: string, key: string): Promise<void> {
  const text = storage.getItem(`${name}:session:${key}`) ?? ''
  const session = Number(/^keepsession 1 (\d+)\n/.exec(text)?.[1])
  const record = /\ne 0 (\S+)\t/.exec(text)?.[1]
  if (record === undefined) throw new Error(`Session "${key}" has no record on its main line.`)
  await damageWebStorage(storage, session, 0, record)
}
