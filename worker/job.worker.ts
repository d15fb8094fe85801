import { acceptJobs } from './job-host.ts'
import { openHostedStore } from './open-hosted-store.ts'

acceptJobs(self, openHostedStore)
