/**
 * Parses a document's name: `<namespace>/index`, `<namespace>/s/<sid>` with the sid in base64url, or
 * `<namespace>/pair/<room>`, where two devices that have no common key yet meet by presence alone.
 *
 * @param {string} name
 * @returns {{ namespace: string, kind: 'index' | 'session' | 'pair' } | undefined} undefined when it is no name of ours
 */
export function parseDocumentName(name) {
  const [, namespace, rest = ''] = /^([^/\p{Cc}]{1,128})\/(index|s\/[\w-]{1,64}|pair\/[0-9a-f]{32})$/u.exec(name) ?? []
  if (namespace === undefined || namespace === '.' || namespace === '..') return undefined
  return { namespace, kind: rest === 'index' ? 'index' : rest.startsWith('pair/') ? 'pair' : 'session' }
}
