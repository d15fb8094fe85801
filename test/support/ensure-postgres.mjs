// Makes sure that the tests have a PostgreSQL: finds one, installs one where that may be done unasked, and else says
// what to do. Run by `npm run test:sync`.
import { findPostgres } from './find-postgres.mjs'
import { fail, installFromDebian } from './install-from-debian.mjs'

if (findPostgres() === undefined) installFromDebian(['postgresql'])
const found = findPostgres()
if (found === undefined)
  fail('These tests need a real PostgreSQL, and none was found. Install it and run this again.', ['postgresql'])
console.log(`Testing with the PostgreSQL in ${found}`)
