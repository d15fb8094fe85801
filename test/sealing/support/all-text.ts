/** Everything that lies in the databases of a browser, as text: keys, values, and the bytes in them. */
export async function allText(indexedDB: IDBFactory): Promise<string> {
  const found: string[] = []
  for (const { name } of await indexedDB.databases()) {
    const database = await answer(indexedDB.open(name!))
    for (const store of database.objectStoreNames) {
      const rows = database.transaction(store).objectStore(store)
      const [keys, values] = await Promise.all([answer(rows.getAllKeys()), answer(rows.getAll())])
      for (const value of [...keys, ...values]) found.push(await textOf(value))
    }
    database.close()
  }
  return found.join('\n')
}

async function textOf(value: unknown): Promise<string> {
  if (value instanceof Blob) return value.text()
  if (ArrayBuffer.isView(value)) return new TextDecoder('latin1').decode(value)
  if (typeof value !== 'object' || value === null) return String(value)
  return (
    await Promise.all(Object.entries(value).map(async ([name, member]) => `${name} ${await textOf(member)}`))
  ).join('\n')
}

const answer = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error!)
  })
