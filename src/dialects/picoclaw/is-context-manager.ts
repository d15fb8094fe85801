import type { ContextManager } from './context-manager.ts'

export function isContextManager(value: unknown): value is ContextManager {
  if (typeof value !== 'object' || value === null) return false
  return ['assemble', 'shrink', 'ingest', 'clear'].every(
    (method) => typeof (value as Record<string, unknown>)[method] === 'function',
  )
}
