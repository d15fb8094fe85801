import { acceptSync } from './sync-host.ts'
import { openFullStore } from './open-full-store.ts'

acceptSync(self, openFullStore)
