import { openFullStore } from './open-full-store.ts'
import { acceptSync } from './sync-host.ts'

acceptSync(self, openFullStore)
