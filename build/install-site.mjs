// Makes sure that the packages are there that the documentation site is made with. Run before `site/build.mjs`, and
// before what tests the site.
//
// They are in a folder of their own, with a lockfile of its own, so that `npm ci` in the repository stays small. Four
// packages without dependencies: VitePress would bring many more, one of which runs an install script.
import { installFolder } from './install-folder.mjs'

installFolder('site', 'what the documentation site is made with')
