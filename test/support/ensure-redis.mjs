// Makes sure that the tests have a Redis: finds one or installs one, and fails if it can't. Run by `npm test`.
import { spawnSync } from 'node:child_process'
import { installFromDebian } from './install-from-debian.mjs'

const find = () => spawnSync('redis-server', ['--version'], { encoding: 'utf8' }).stdout?.trim()

if (!find()) installFromDebian(['redis-server'])
const found = find()
if (!found) {
  console.error(
    'The tests of two sync servers need a real Redis. None was found, and none could be installed.\n' +
      'Install it (Debian: apt-get install redis-server), so that `redis-server` is in the path, and run this again.',
  )
  process.exit(1)
}
console.log(`Testing with ${found}`)
