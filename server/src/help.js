import { FLAGS, variableOf } from './flags.js'

const column = 24

/** What `--help` prints. */
export function help() {
  const options = [
    ...FLAGS.flatMap((flag) => [
      `  ${`--${flag.name} <${flag.value}>`.padEnd(column)}${flag.says}`,
      `  ${''.padEnd(column)}Default: ${flag.standard}. Environment: ${variableOf(flag)}`,
    ]),
    `  ${'-h, --help'.padEnd(column)}Prints this.`,
    `  ${'--version'.padEnd(column)}Prints the version.`,
  ]
  return `keepsession's sync server

Usage: npm run sync-server -- [options]
       node server/main.js [options]

Options win over the environment, and that over the file of --config.

${options.join('\n')}

It says what it listens on when it does, and runs until SIGTERM or SIGINT, which let it finish what it is storing.

Exit codes
  0  stopped by a signal, or help or version printed
  1  could not start: the port or the folder is taken, or the database can't be reached
  2  an option is not known or makes no sense; nothing was started
`
}
