import { acceptSearches } from './search-host.ts'

acceptSearches(self)
