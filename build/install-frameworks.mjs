// Makes sure that the frameworks are there for which keepsession has adapters. Run before what tests an adapter with its
// framework, or checks the types of such tests.
//
// They are in a folder of their own, with a lockfile of its own: no adapter imports its framework, and the AI SDK asks
// for Node 22 or newer, which `npm ci` would complain about on Node 20.
import { installFolder } from './install-folder.mjs'

installFolder('test/frameworks', 'the frameworks that adapters are tested with')
