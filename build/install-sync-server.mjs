// Makes sure that the sync server's packages are there. Run before whatever starts it, tests it or checks its types.
//
// It is a package of its own, with a lockfile of its own: who builds an app with keepsession needs none of it, and
// Hocuspocus asks for Node 22 or newer, which `npm ci` would complain about on Node 20.
import { installFolder } from './install-folder.mjs'

installFolder('server', 'what the sync server needs')
