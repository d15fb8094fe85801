import { acceptPages } from './accept-pages.ts'
import { acceptJobs } from './job-host.ts'
import { openFullStore } from './open-full-store.ts'

acceptPages(self, openFullStore)
acceptJobs(self, openFullStore)
