const MIB = 1024 * 1024

/** @type {import('../options.js').Limits} */
export const DEFAULT_LIMITS = {
  messageBytes: MIB,
  documentBytes: 256 * MIB,
  documents: 200,
  // A new device opens ten thousand sessions, with four messages each, as fast as both sides can.
  messagesPerSecond: 1_000,
  messageBurst: 50_000,
  bytesPerSecond: 8 * MIB,
  byteBurst: 64 * MIB,
  blobBytes: 64 * MIB,
  // Longer than clients wait for their own token.
  authenticateMs: 60_000,
}
