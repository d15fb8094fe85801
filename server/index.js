export { startSyncServer } from './src/start-sync-server.js'
