import type { UsageReport } from '../../src/types.ts'

/**
 * What the user's own data takes, in bytes: messages, files and unfinished replies. The browser's figure for the site
 * is mostly what its database takes when it is empty, and lags behind.
 */
export const dataSize = ({ entryBytes, blobBytes, draftBytes }: UsageReport): number =>
  entryBytes + blobBytes + draftBytes
