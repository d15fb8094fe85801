import type { LinkStatus } from '../../link.ts'

/** Reasons that a server gives, by the part before the first colon: those of Hocuspocus and of keepsession's server. */
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

/** Explanations for reasons whose names are not clear. */
const words: Readonly<Record<string, string>> = {
  'authorise-failed': 'the server cannot find out who has access',
  'rate-limited': 'more was sent than the server allows at once',
  'storage-full': 'the disk of the server is full',
  'storage-failed': 'the server cannot store anything',
}

/** If a server refuses something without a reason, it is an update longer than this that is on its way. */
const suspicious = 64 * 1024

/** What it means that a server closed a document, or did not open it. */
export function refusalStatus(reason: string, isOpening: boolean, longestUnconfirmed: number): LinkStatus {
  const name = reason.split(':')[0]!
  const state = reasons[name] ?? unknown(reason, isOpening, longestUnconfirmed)
  if (state === 'oversized') return { state, message: `the server refuses what is sent of this document (${reason})` }
  return state === 'denied' || state === 'error'
    ? { state, message: words[name] === undefined ? reason : `${words[name]} (${reason})` }
    : { state: 'offline' }
}

/**
 * "Reset Connection" is what Hocuspocus sends when a message could not be handled, and for every document when it
 * stops.
 */
function unknown(reason: string, isOpening: boolean, longestUnconfirmed: number): LinkStatus['state'] {
  if (isOpening) return 'denied'
  if (reason !== 'Reset Connection') return 'error'
  return longestUnconfirmed === 0 ? 'offline' : longestUnconfirmed >= suspicious ? 'oversized' : 'error'
}

/** Whether the server refuses a single message, however little the document holds. */
export function isTooLong(reason: string): boolean {
  return /^message[- ]too[- ]big\b/i.test(reason)
}
