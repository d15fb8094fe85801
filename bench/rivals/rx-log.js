import { createRxDatabase } from 'rxdb/plugins/core'
import { getRxStorageDexie } from 'rxdb/plugins/storage-dexie'

const schema = {
  version: 0,
  primaryKey: { key: 'id', fields: ['session', 'seq'], separator: '|' },
  type: 'object',
  properties: {
    id: { type: 'string', maxLength: 100 },
    session: { type: 'string', maxLength: 60 },
    seq: { type: 'integer', minimum: 0, maximum: 10_000_000, multipleOf: 1 },
    message: { type: 'object' },
  },
  required: ['id', 'session', 'seq', 'message'],
  indexes: [['session', 'seq']],
}

/** @param {string} name */
export async function openRxLog(name) {
  const database = await createRxDatabase({ name, storage: getRxStorageDexie(), multiInstance: false })
  const { messages } = await database.addCollections({ messages: { schema } })
  /** @param {string} session @param {number} seq @param {object} message */
  const row = (session, seq, message) => ({ id: `${session}|${seq}`, session, seq, message })
  /** @param {readonly { toJSON(): { readonly message: unknown } }[]} found */
  const messagesOf = (found) => found.map((one) => one.toJSON().message)
  /** @param {string} session @param {'asc' | 'desc'} order @param {number} [limit] */
  const find = (session, order, limit) =>
    messages
      .find({
        selector: { session },
        sort: [{ session: order }, { seq: order }],
        ...(limit === undefined ? {} : { limit }),
      })
      .exec()

  return {
    /** @param {string} session @param {number} at @param {object} message */
    append: async (session, at, message) => void (await messages.insert(row(session, at, message))),
    /** @param {string} session @param {number} from @param {readonly object[]} added */
    bulkInsert: async (session, from, added) => {
      const { error } = await messages.bulkInsert(added.map((message, i) => row(session, from + i, message)))
      if (error.length > 0) throw new Error(`RxDB refused ${error.length} messages.`)
    },
    /** @param {string} session @param {number} count */
    last: async (session, count) => messagesOf(await find(session, 'desc', count)).reverse(),
    /** @param {string} session */
    all: async (session) => messagesOf(await find(session, 'asc')),
    /** @param {string} session */
    count: (session) => messages.count({ selector: { session } }).exec(),
    close: () => database.close(),
  }
}
