#!/usr/bin/env node
import { startSyncServer } from './src/start-sync-server.js'

const server = await startSyncServer()
console.log(`keepsession sync server on ${server.url}, secret ${server.secret}`)
