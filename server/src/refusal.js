/** @typedef {'denied' | 'authorise-failed' | 'token-expired' | 'bad-name' | 'too-many-documents' | 'too-many-present' | 'rate-limited' | 'reads-too-slowly' | 'malformed-message' | 'message-too-big' | 'document-too-big' | 'malformed-update' | 'foreign-update' | 'update-with-gaps' | 'storage-full' | 'storage-failed' | 'stopping'} RefusalName */

/**
 * Why something was not done. Thrown in a hook, Hocuspocus hands `reason` to the client: as the reason of a denied document while
 * it opens, as the reason of its closing afterwards. The name stands before the first colon. It is no `Error`, because Hocuspocus would
 * write each one's message to the log once more.
 */
export class Refusal {
  /**
   * @param {RefusalName} name
   * @param {string} [detail]
   */
  constructor(name, detail) {
    this.name = name
    // A WebSocket takes 123 bytes for its reason.
    this.reason = (detail === undefined ? name : `${name}: ${detail}`).slice(0, 120)
    this.code = 4000
  }
}
