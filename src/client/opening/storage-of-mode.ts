import type { StoreMode } from '../open-options.ts'

/** A place that a store can be in. */
export type StoragePlace = 'indexeddb' | 'web-storage' | 'memory'

/** Where each mode keeps the sessions. The compiler asks for that of a new mode. */
export const storageOfMode = {
  worker: 'indexeddb',
  'inline-worker': 'indexeddb',
  'in-page': 'indexeddb',
  'web-storage': 'web-storage',
  memory: 'memory',
} as const satisfies Record<StoreMode, StoragePlace>

/** Whether the sessions outlive the page. */
export const isDurable = (mode: StoreMode): boolean => storageOfMode[mode] !== 'memory'
