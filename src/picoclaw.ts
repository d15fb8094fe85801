export type {
  AssembleRequest,
  ContextManager,
  ContextManagerFactory,
  ContextManagerParts,
  ShrinkReason,
  ShrinkRequest,
} from './dialects/picoclaw/context-manager.ts'
export type { CompactionManagerOptions } from './dialects/picoclaw/create-compaction-manager.ts'
export { createCompactionManager } from './dialects/picoclaw/create-compaction-manager.ts'
export type { PicoClawManagerOptions } from './dialects/picoclaw/create-picoclaw-manager.ts'
export { createPicoClawManager } from './dialects/picoclaw/create-picoclaw-manager.ts'
export type { ContextManagerChoice, ContextManagers } from './dialects/picoclaw/manager-registry.ts'
export { defaultContextManager } from './dialects/picoclaw/manager-registry.ts'
export type { ContextBudget } from './dialects/picoclaw/rules/context-budget.ts'
export { defaultBudget } from './dialects/picoclaw/rules/context-budget.ts'
export { estimatePicoClawTokens } from './dialects/picoclaw/rules/estimate-picoclaw-tokens.ts'
export type { DescribedTool } from './dialects/picoclaw/rules/estimate-picoclaw-tool-tokens.ts'
export { estimatePicoClawToolTokens } from './dialects/picoclaw/rules/estimate-picoclaw-tool-tokens.ts'
export { fallbackSummary } from './dialects/picoclaw/rules/fallback-summary.ts'
export { findSafeBoundary } from './dialects/picoclaw/rules/find-safe-boundary.ts'
export type { ForcedCompression } from './dialects/picoclaw/rules/force-compression.ts'
export { forceCompression, withCompressionNote } from './dialects/picoclaw/rules/force-compression.ts'
export { isOverBudget } from './dialects/picoclaw/rules/is-over-budget.ts'
export { isSummaryDue } from './dialects/picoclaw/rules/is-summary-due.ts'
export type { SummaryPlan } from './dialects/picoclaw/rules/plan-summary.ts'
export { planSummary } from './dialects/picoclaw/rules/plan-summary.ts'
export { sanitiseHistory } from './dialects/picoclaw/rules/sanitise-history.ts'
export type { TrimmedRequest } from './dialects/picoclaw/rules/trim-history.ts'
export { trimHistoryToFitContextWindow } from './dialects/picoclaw/rules/trim-history.ts'
export { history } from './dialects/picoclaw/session-history.ts'
