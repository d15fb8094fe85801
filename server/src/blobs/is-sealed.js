/**
 * Whether a blob's content is encrypted, so that nobody here can hold it against its hash.
 *
 * @param {string} hash - as the address has it
 */
export const isSealed = (hash) => hash.startsWith('sealed-')
