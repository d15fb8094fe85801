export { estimatePicoClawTokens } from './domain/context/estimate-picoclaw-tokens.ts'
export { findSafeBoundary } from './domain/context/find-safe-boundary.ts'
export { sanitiseHistory } from './domain/context/sanitise-history.ts'
export type { Message, MessagePart } from './contract/message.ts'
