import type { LinkStatus } from '../../link.ts'

/** Reasons that a server gives, by what stands before their first colon: Hocuspocus' own and those of keepsession's server. */
const reasons: Readonly<Record<string, LinkStatus['state']>> = {
  'Message Too Big': 'oversized',
  'message-too-big': 'oversized',
  'document-too-big': 'oversized',
  Unauthorized: 'denied',
  Forbidden: 'denied',
  'permission-denied': 'denied',
  denied: 'denied',
  'token-expired': 'denied',
  'bad-name': 'denied',
  'Server closed the connection': 'offline',
  'Connection Timeout': 'offline',
  stopping: 'offline',
  provider_initiated: 'offline',
  'authorise-failed': 'error',
  'too-many-documents': 'error',
  'rate-limited': 'error',
  'malformed-update': 'error',
  'foreign-update': 'error',
  'storage-full': 'error',
  'storage-failed': 'error',
}

/** What the names of some reasons don't say. */
const words: Readonly<Record<string, string>> = {
  'authorise-failed': 'the server can not find out who may do what',
  'rate-limited': 'more was sent than the server allows at a time',
  'storage-full': 'the disk of the server is full',
  'storage-failed': 'the server can not store anything',
}

/** A longer one than this on its way is what a server without words has refused. */
const suspicious = 64 * 1024

/** What it means that a server closed a document, or didn't open it. */
export function refusalStatus(reason: string, isOpening: boolean, longestUnconfirmed: number): LinkStatus {
  const name = reason.split(':')[0]!
  const state = reasons[name] ?? unknown(reason, isOpening, longestUnconfirmed)
  if (state === 'oversized') return { state, message: `the server refuses what is sent of this document (${reason})` }
  return state === 'denied' || state === 'error' ? { state, message: words[name] === undefined ? reason : `${words[name]} (${reason})` } : { state: 'offline' }
}

/** "Reset Connection" is what Hocuspocus says whenever a message could not be handled, and of every document when it stops. */
function unknown(reason: string, isOpening: boolean, longestUnconfirmed: number): LinkStatus['state'] {
  if (isOpening) return 'denied'
  if (reason !== 'Reset Connection') return 'error'
  return longestUnconfirmed === 0 ? 'offline' : longestUnconfirmed >= suspicious ? 'oversized' : 'error'
}

/** Whether it is one message that the server doesn't take, however little the document holds. */
export function isTooLong(reason: string): boolean {
  return /^message[- ]too[- ]big\b/i.test(reason)
}
