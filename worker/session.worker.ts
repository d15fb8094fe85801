import { acceptPages } from './accept-pages.ts'
import { openHostedStore } from './open-hosted-store.ts'

acceptPages(self, openHostedStore)
