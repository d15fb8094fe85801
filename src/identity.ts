export type { SessionErrorName } from './contract/errors.ts'
export { isSessionError, SessionError, sessionErrorNames } from './contract/errors.ts'
export type {
  Allocation,
  AllocationInput,
  Dimension,
  DispatchRule,
  DispatchSelector,
  IdentityLinks,
  InboundContext,
  InboundMessage,
  LegacyKey,
  MessageIdentity,
  PicoclawContext,
  PicoclawMessage,
  Route,
  RoutingConfig,
  SessionPolicy,
} from './contract/message-identity.ts'
export type { SessionScope } from './contract/scope.ts'
export { allocateSession } from './domain/identity/allocate-session.ts'
export { checkScope } from './domain/identity/check-scope.ts'
export { createRouter } from './domain/identity/create-router.ts'
export { createSessionRouter } from './domain/identity/create-session-router.ts'
export { canonicalSender, linkedIdentity } from './domain/identity/identity-links.ts'
export { isMainAlias } from './domain/identity/is-main-alias.ts'
export {
  agentIdOf,
  isExplicitKey,
  isLegacyKey,
  isOpaqueKey,
  parseLegacyKey,
  resolveScopeKey,
} from './domain/identity/key-kind.ts'
export { normaliseAccountId, normaliseAgentId, normaliseChannel } from './domain/identity/normalise-id.ts'
export { buildSessionAliases } from './domain/identity/session-aliases.ts'
export { mainAlias, mainSessionKey, opaqueKey, scopeKey, scopeSignature } from './domain/identity/session-key.ts'
