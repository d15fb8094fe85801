import { coldSession, rawDatabase, send, wanted } from './names.ts'

const ask = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

const running = performance.now()
const database = await ask(indexedDB.open(rawDatabase))
const opened = performance.now()
const size = Number(new URL(location.href).searchParams.get('size'))
const range = IDBKeyRange.bound([coldSession, size - wanted], [coldSession, size], false, true)
const rows = await ask(database.transaction('messages').objectStore('messages').getAll(range))
const time = performance.now()
if (rows.length !== wanted) throw new Error(`Expected ${wanted} messages, got ${rows.length}.`)
await send({ 'code runs': running, 'store open': opened, time })
