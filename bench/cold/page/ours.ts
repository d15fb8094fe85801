import { openSessionStore } from '../../../src/index.ts'
import { coldSession, oursDatabase, show, wanted } from './names.ts'

const running = performance.now()
const client = await openSessionStore({ name: oursDatabase, modes: ['worker'] })
const opened = performance.now()
const session = await client.session(coldSession)
const { entries } = await session.page({ last: wanted })
const time = performance.now()
if (entries.length !== wanted) throw new Error(`Expected ${wanted} messages, got ${entries.length}.`)
show({ 'code runs': running, 'store open': opened, time })
