import { acceptPages } from './accept-pages.ts'
import { openCoreStore } from './open-core-store.ts'

acceptPages(self, openCoreStore)
