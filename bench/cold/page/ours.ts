import { openSessionStore } from '../../../src/index.ts'
import { coldSession, oursDatabase, send, wanted } from './names.ts'

const running = performance.now()
const client = await openSessionStore({ name: oursDatabase, modes: ['worker'] })
const opened = performance.now()
const session = await client.session(coldSession)
const { entries } = await session.page({ last: wanted })
const time = performance.now()
if (entries.length !== wanted) throw new Error(`Expected ${wanted} messages, got ${entries.length}.`)
// What it would go on with must not disturb the next page.
await client.close()
await send({ 'code runs': running, 'store open': opened, time })
