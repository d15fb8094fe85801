export type { StorageBackendOptions } from './adapters/pi-web-ui/create-storage-backend.ts'
export { createStorageBackend } from './adapters/pi-web-ui/create-storage-backend.ts'
export type {
  PiIndexConfig,
  PiStorageBackend,
  PiStorageTransaction,
  PiStoreConfig,
} from './adapters/pi-web-ui/storage-types.ts'
export { piSession } from './dialects/pi/pi-session.ts'
export type { CustomMessage, PiSession } from './dialects/pi/pi-session-contract.ts'
export { convertToLlm } from './dialects/pi/rules/convert-to-llm.ts'
export { estimatePiTokens } from './dialects/pi/rules/estimate-pi-tokens.ts'
export type { PathContext } from './dialects/pi/rules/path-context.ts'
