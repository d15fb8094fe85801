import { inspect } from 'node:util'

/** @typedef {'denied' | 'authorise-failed' | 'token-expired' | 'bad-name' | 'not-authenticated' | 'too-many-documents' | 'too-many-present' | 'rate-limited' | 'reads-too-slowly' | 'malformed-message' | 'message-too-big' | 'document-too-big' | 'malformed-update' | 'foreign-update' | 'update-with-gaps' | 'storage-full' | 'storage-failed' | 'stopping'} RefusalName */

/**
 * Why something was not done. When it is thrown in a hook, Hocuspocus sends `reason` to the client: as the reason of a
 * denied document while it opens, as the reason of its closing afterwards. The name precedes the first colon. It is not
 * an `Error`, because Hocuspocus would also write the message of each error to the log, and its stack where it closes a
 * document: what it writes there is the reason alone.
 */
export class Refusal {
  /**
   * @param {RefusalName} name
   * @param {string} [detail]
   */
  constructor(name, detail) {
    this.name = name
    // The reason of a WebSocket's close has at most 123 bytes.
    this.reason = (detail === undefined ? name : `${name}: ${detail}`).slice(0, 120)
    this.code = 4000
  }

  [inspect.custom]() {
    return this.reason
  }
}
