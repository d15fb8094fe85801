/**
 * What a document's name says: `<namespace>/index`, or `<namespace>/s/<sid>` with the sid in base64url.
 *
 * @param {string} name
 * @returns {{ namespace: string, kind: 'index' | 'session' } | undefined} undefined when it is no name of ours
 */
export function parseDocumentName(name) {
  const [, namespace, rest] = /^([^/\p{Cc}]{1,128})\/(index|s\/[\w-]{1,64})$/u.exec(name) ?? []
  if (namespace === undefined || namespace === '.' || namespace === '..') return undefined
  return { namespace, kind: rest === 'index' ? 'index' : 'session' }
}
