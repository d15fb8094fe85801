import type { ManagerConfig } from './manager-types.ts'

/** The default configuration. Source: Aixgo, `DefaultConfig` */
export function defaultConfig(): ManagerConfig {
  return {
    enabled: true,
    store: ['worker', 'inline-worker', 'in-page', 'web-storage', 'memory'],
    name: 'keepsession',
    checkpoint: { autoSave: false, interval: '5m' },
    ttl: 0,
  }
}
