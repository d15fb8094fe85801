// Plain JavaScript, because the ensure-… scripts run without a build.
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Where Debian puts them: not in the path. */
const DEBIAN = '/usr/lib/postgresql'

/** @returns {string | undefined} the folder of PostgreSQL's programs */
export function findPostgres() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  return [
    ...versions.map((version) => join(DEBIAN, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ].find((folder) => existsSync(join(folder, 'initdb')))
}
