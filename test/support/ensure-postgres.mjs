// Makes sure that the tests have a PostgreSQL: finds one or installs one, and fails if it can't. Run by `npm run test:sync`.
import { findPostgres } from './find-postgres.mjs'
import { installFromDebian } from './install-from-debian.mjs'

if (findPostgres() === undefined) installFromDebian(['postgresql'])
const found = findPostgres()
if (found === undefined) {
  console.error('These tests need a real PostgreSQL. None was found, and none could be installed.\nInstall it (Debian: apt-get install postgresql) and run this again.')
  process.exit(1)
}
console.log(`Testing with the PostgreSQL in ${found}`)
