import { startPostgres } from '../support/postgres-server.ts'
import { describeTwoNodes } from './two-nodes.ts'

describeTwoNodes('PostgreSQL', startPostgres)
