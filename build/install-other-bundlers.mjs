// Makes sure that the bundlers are there that only the tests of the package use. Run before those.
//
// They are in a folder of their own, with a lockfile of its own: they are large, and `npm test` needs none of them.
import { installFolder } from './install-folder.mjs'

installFolder('test/packaging/other-bundlers', 'the bundlers that the package is tested with')
