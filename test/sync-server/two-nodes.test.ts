import { startS3 } from '../support/s3-server.ts'
import { describeTwoNodes } from './two-nodes.ts'

describeTwoNodes('S3', startS3)
