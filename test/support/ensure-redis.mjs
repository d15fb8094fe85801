// Makes sure that the tests have a Redis: finds one, installs one where that may be done unasked, and else says what to
// do. Run by `npm test`.
import { spawnSync } from 'node:child_process'
import { fail, installFromDebian } from './install-from-debian.mjs'

const find = () => spawnSync('redis-server', ['--version'], { encoding: 'utf8' }).stdout?.trim()

if (!find()) installFromDebian(['redis-server'])
const found = find()
if (!found)
  fail(
    'The tests of two sync servers need a real Redis, and none was found. Install it, so that `redis-server` is in the path, and run this again.',
    ['redis-server'],
  )
console.log(`Testing with ${found}`)
